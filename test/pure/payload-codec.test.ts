import { randomBytes, createCipheriv } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { parsePayloadKeys, type PayloadKeys } from '../../src/config/payload-keys.js';
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

async function encrypted(text: string, context: Parameters<PayloadCodec['encode']>[1] = FLOW): Promise<Payload> {
  const [payload] = await codecOf(text).encode([defaultPayloadConverter.toPayload({ name: SECRET })], context);
  return payload as Payload;
}

async function read(text: string, payload: Payload, context: Parameters<PayloadCodec['decode']>[1] = FLOW) {
  const [decoded] = await codecOf(text).decode([payload], context);
  return defaultPayloadConverter.fromPayload(decoded as Payload);
}

describe('an encrypted payload', () => {
  it('is read with its key and shows no plaintext', async () => {
    const payload = await encrypted(K1);
    expect(Buffer.from(temporal.api.common.v1.Payload.encode(payload).finish()).toString('latin1')).not.toContain(
      'Maria',
    );
    expect(await read(K1, payload)).toEqual({ name: SECRET });
  });

  it('differs each time it is written', async () => {
    const [first, second] = [await encrypted(K1), await encrypted(K1)];
    expect(Buffer.from(first.data ?? []).equals(Buffer.from(second.data ?? []))).toBe(false);
  });

  it('is read with any of the keys, and written with the first key', async () => {
    expect(await read(`${K2},${K1}`, await encrypted(K1))).toEqual({ name: SECRET });
    await expect(read(K1, await encrypted(`${K2},${K1}`))).rejects.toThrow('encrypted with the key "k2"');
  });

  it('is written in plaintext if "plain" is the first key, and can still be read', async () => {
    const payload = await encrypted(`plain,${K1}`);
    expect(Buffer.from(payload.data ?? []).toString()).toContain('Maria');
    expect(await read(`plain,${K1}`, await encrypted(K1))).toEqual({ name: SECRET });
  });

  it('that was written in plaintext earlier is still read', async () => {
    expect(await read(K1, defaultPayloadConverter.toPayload({ name: SECRET }))).toEqual({ name: SECRET });
  });

  it('cannot be moved to another workflow, even with changed metadata', async () => {
    const payload = await encrypted(K1);
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
    expect(await read(K1, await encrypted(K1), { ...FLOW, workflowId })).toEqual({ name: SECRET });
  });

  it('is refused if any byte is changed or missing', async () => {
    const payload = await encrypted(K1);
    const data = Buffer.from(payload.data ?? []);
    for (let place = 0; place < data.length; place += 1) {
      const changed = Buffer.from(data);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await expect(read(K1, { ...payload, data: changed })).rejects.toThrow('damaged');
    }
    await expect(read(K1, { ...payload, data: data.subarray(0, 20) })).rejects.toThrow('damaged');
  });

  it('in the format of the Temporal samples, without a workflow, is read', async () => {
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

  it('is unchanged without keys', () => {
    expect(createDataConverter({}, { payloadCodecs: [own] })).toEqual({ payloadCodecs: [own] });
  });

  it('keeps the codecs and converters of the user, and encrypts their output', () => {
    const converter = createDataConverter(
      { payloadKeys: keysOf(K1) },
      { payloadCodecs: [own], failureConverterPath: '/own/failures.js' },
    );
    expect(converter.payloadCodecs?.[0]).toBe(own);
    expect(converter.payloadCodecs).toHaveLength(2);
    expect(converter.failureConverterPath).toBe('/own/failures.js');
  });

  it('does not add the codec twice', () => {
    const once = createDataConverter({ payloadKeys: keysOf(K1) });
    expect(createDataConverter({ payloadKeys: keysOf(K1) }, once).payloadCodecs).toHaveLength(1);
  });

  it('of workers passes on a payload that it cannot read, which the flow then refuses', async () => {
    const payload = await encrypted(K2);
    const [codec] = createLenientDataConverter({ payloadKeys: keysOf(K1) }).payloadCodecs ?? [];
    expect(await codec?.decode([payload], FLOW)).toEqual([payload]);
  });
});

describe('payload keys', () => {
  it.each([
    ['', 'entry 1 without a usable key id'],
    ['plain', 'no key'],
    [`${K1},${K1}`, 'key id k1 twice'],
    ['k1:abc', 'entry 1, whose key is not base64 of 32 bytes'],
    [`${K1},k2:${Buffer.alloc(16).toString('base64')}`, 'entry 2, whose key is not base64 of 32 bytes'],
    [`${K1},plain`, 'entry 2 without a usable key id'],
    [Buffer.alloc(32, 7).toString('base64'), 'entry 1 without a usable key id'],
  ])('%s are refused, and the problem shows no key', (text, seen) => {
    const parsed = parsePayloadKeys(text);
    expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(seen) as string });
    if (text.length > 20) expect(JSON.stringify(parsed)).not.toContain(text.slice(-20));
  });

  it('are not serialised', () => {
    expect(JSON.stringify(keysOf(K1))).not.toContain(Buffer.alloc(32, 1).toString('base64').slice(0, 10));
  });
});
