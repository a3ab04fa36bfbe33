import { randomBytes, createCipheriv } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { parsePayloadKeys, type PayloadKeys } from '../../src/config/index.js';
import { createDataConverter, createLenientDataConverter } from '../../src/temporal-client/index.js';

const K1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const K2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`;
const FLOW = { type: 'workflow', namespace: 'default', workflowId: 'refresh.default.1' } as const;
const SECRET = 'Maria das Dores, CPF 111.444.777-35';

function keysOf(text: string): PayloadKeys {
  const parsed = parsePayloadKeys(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

function codecOf(text: string): PayloadCodec {
  const [codec] = createDataConverter({ payloadKeys: keysOf(text) }).payloadCodecs ?? [];
  if (codec === undefined) throw new Error('no codec');
  return codec;
}

async function written(text: string, context: Parameters<PayloadCodec['encode']>[1] = FLOW): Promise<Payload> {
  const [payload] = await codecOf(text).encode([defaultPayloadConverter.toPayload({ name: SECRET })], context);
  return payload as Payload;
}

async function read(text: string, payload: Payload, context: Parameters<PayloadCodec['decode']>[1] = FLOW) {
  const [decoded] = await codecOf(text).decode([payload], context);
  return defaultPayloadConverter.fromPayload(decoded as Payload);
}

describe('a payload that is encrypted', () => {
  it('is read with its key and shows nothing without', async () => {
    const payload = await written(K1);
    expect(Buffer.from(temporal.api.common.v1.Payload.encode(payload).finish()).toString('latin1')).not.toContain(
      'Maria',
    );
    expect(await read(K1, payload)).toEqual({ name: SECRET });
  });

  it('is written differently each time', async () => {
    const [one, other] = [await written(K1), await written(K1)];
    expect(Buffer.from(one.data ?? []).equals(Buffer.from(other.data ?? []))).toBe(false);
  });

  it('is read with any of the keys, and written with the first', async () => {
    expect(await read(`${K2},${K1}`, await written(K1))).toEqual({ name: SECRET });
    await expect(read(K1, await written(`${K2},${K1}`))).rejects.toThrow('encrypted with the key "k2"');
  });

  it('is written in clear where "plain" stands first, and read', async () => {
    const payload = await written(`plain,${K1}`);
    expect(Buffer.from(payload.data ?? []).toString()).toContain('Maria');
    expect(await read(`plain,${K1}`, await written(K1))).toEqual({ name: SECRET });
  });

  it('in clear of before is still read', async () => {
    expect(await read(K1, defaultPayloadConverter.toPayload({ name: SECRET }))).toEqual({ name: SECRET });
  });

  it('cannot be given to another workflow, not even under its name', async () => {
    const payload = await written(K1);
    await expect(read(K1, payload, { ...FLOW, workflowId: 'refresh.default.2' })).rejects.toThrow(
      'of another workflow',
    );
    await expect(read(K1, payload, { ...FLOW, namespace: 'other' })).rejects.toThrow('of another workflow');
    const renamed = { ...payload.metadata, 'encryption-context': Buffer.from('default/refresh.default.2') };
    await expect(
      read(K1, { ...payload, metadata: renamed }, { ...FLOW, workflowId: 'refresh.default.2' }),
    ).rejects.toThrow('damaged');
  });

  it('of a schedule is read by the runs that it starts', async () => {
    const workflowId = `${FLOW.workflowId}-2026-11-22T03:00:00Z`;
    expect(await read(K1, await written(K1), { ...FLOW, workflowId })).toEqual({ name: SECRET });
  });

  it('is refused with any bit of it changed', async () => {
    const payload = await written(K1);
    const data = Buffer.from(payload.data ?? []);
    for (let place = 0; place < data.length; place += 1) {
      const changed = Buffer.from(data);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await expect(read(K1, { ...payload, data: changed })).rejects.toThrow('damaged');
    }
    await expect(read(K1, { ...payload, data: data.subarray(0, 20) })).rejects.toThrow('damaged');
  });

  it('in the form of the samples of Temporal, without a workflow, is read', async () => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), nonce);
    const plain = temporal.api.common.v1.Payload.encode(defaultPayloadConverter.toPayload('hello')).finish();
    const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const metadata = { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('k1') };
    expect(await read(K1, { metadata, data })).toBe('hello');
  });
});

describe('a data converter', () => {
  const own: PayloadCodec = {
    encode: (payloads) => Promise.resolve(payloads),
    decode: (payloads) => Promise.resolve(payloads),
  };

  it('is as it was without keys', () => {
    expect(createDataConverter({}, { payloadCodecs: [own] })).toEqual({ payloadCodecs: [own] });
  });

  it('keeps codecs and converters of the user, and encrypts what they have made', () => {
    const converter = createDataConverter(
      { payloadKeys: keysOf(K1) },
      { payloadCodecs: [own], failureConverterPath: '/own/failures.js' },
    );
    expect(converter.payloadCodecs?.[0]).toBe(own);
    expect(converter.payloadCodecs).toHaveLength(2);
    expect(converter.failureConverterPath).toBe('/own/failures.js');
  });

  it('does not encrypt twice', () => {
    const once = createDataConverter({ payloadKeys: keysOf(K1) });
    expect(createDataConverter({ payloadKeys: keysOf(K1) }, once).payloadCodecs).toHaveLength(1);
  });

  it('of workers hands on what it cannot read: the flow refuses it', async () => {
    const payload = await written(K2);
    const [codec] = createLenientDataConverter({ payloadKeys: keysOf(K1) }).payloadCodecs ?? [];
    expect(await codec?.decode([payload], FLOW)).toEqual([payload]);
  });
});

describe('payload keys', () => {
  it.each([
    ['', 'entry 1 without a usable key id'],
    ['plain', 'no key'],
    [`${K1},${K1}`, 'key id k1 twice'],
    ['k1:abc', 'entry 1, whose key is no base64 of 32 bytes'],
    [`${K1},k2:${Buffer.alloc(16).toString('base64')}`, 'entry 2, whose key is no base64 of 32 bytes'],
    [`${K1},plain`, 'entry 2 without a usable key id'],
    [Buffer.alloc(32, 7).toString('base64'), 'entry 1 without a usable key id'],
  ])('%s is refused, and shows no key', (text, seen) => {
    const parsed = parsePayloadKeys(text);
    expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(seen) as string });
    if (text.length > 20) expect(JSON.stringify(parsed)).not.toContain(text.slice(-20));
  });

  it('do not print', () => {
    expect(JSON.stringify(keysOf(K1))).not.toContain(Buffer.alloc(32, 1).toString('base64').slice(0, 10));
  });
});
