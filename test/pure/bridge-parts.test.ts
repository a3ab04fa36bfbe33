import { mediaProblem, skewSecondsOf } from '../../src/bridge/raw-headers.js';
import { publicEventId, publicEventName } from '../../src/inbox/public-names.js';
import { readDeliveryBody } from '../../src/bridge/read-body.js';
import { createMetrics } from '../../src/bridge/metrics.js';
import { nodeVersionProblem } from '../../src/bridge/node-version.js';

describe('mediaProblem', () => {
  it.each<[readonly string[], string | undefined]>([
    [['Content-Type', 'application/json'], undefined],
    [['content-type', 'Application/JSON; charset=UTF-8'], undefined],
    [['content-type', 'application/json;charset="utf-8"', 'content-encoding', 'identity'], undefined],
    [['content-type', 'application/json; charset=latin1'], 'content-type'],
    [['content-type', 'application/jsonx'], 'content-type'],
    [['content-type', 'application/json; boundary=x'], 'content-type'],
    [['content-type', 'text/plain'], 'content-type'],
    [['content-type', 'application/json', 'content-type', 'text/plain'], 'content-type'],
    [[], 'content-type'],
    [['content-type', 'application/json', 'content-encoding', 'gzip'], 'content-encoding'],
    [['content-type', 'application/json', 'transfer-encoding', 'gzip, chunked'], 'content-encoding'],
    [['content-type', 'application/json', 'transfer-encoding', 'Chunked'], undefined],
  ])('judges the headers %j', (headers, expected) => expect(mediaProblem(headers)).toBe(expected));
});

describe('readDeliveryBody', () => {
  it.each<[string, Buffer]>([
    ['a byte order mark', Buffer.from('\ufeff{"id":"1"}')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
    ['an empty body', Buffer.alloc(0)],
    ['a list', Buffer.from('[]')],
    ['a depth of 100,000', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
    ['nesting after a string with brackets', Buffer.from(`{"a":"\\"[","b":${'['.repeat(101)}${']'.repeat(101)}}`)],
    [
      '80,000 members in one object',
      Buffer.from(`{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
    ],
    [
      'integer-like members',
      Buffer.from(`{${Array.from({ length: 80_000 }, (_, i) => `"${i * 65_536}":1`).join(',')}}`),
    ],
  ])('reads nothing from %s, quickly', (_title, body) => {
    const takenMs = [1, 2, 3].map(() => {
      const before = performance.now();
      expect(readDeliveryBody(body)).toBeUndefined();
      return performance.now() - before;
    });
    // The fastest of three tries, with a wide margin: a pause of the machine affects one try, not all.
    expect(Math.min(...takenMs)).toBeLessThan(500);
  });

  it('ignores brackets and colons in strings', () => {
    const text = JSON.stringify({
      id: 'e1',
      event: 'x',
      data: { text: '[{:'.repeat(3_000), list: Array.from({ length: 3_000 }, () => ({ a: 1 })) },
    });
    expect(readDeliveryBody(Buffer.from(text))).toMatchObject({ eventId: 'e1', event: 'x' });
  });

  it.each<[string, string, string | undefined]>([
    ['a number', '{"id":7}', '7'],
    ['an object', '{"id":{}}', undefined],
    ['a control character', '{"id":"a\\u0000"}', undefined],
    ['300 characters and more', `{"id":"${'x'.repeat(301)}"}`, undefined],
    ['members that aim at the prototype', '{"__proto__":{"id":"x"},"constructor":{"prototype":{"id":"y"}}}', undefined],
    ['a uuid of the flat form', '{"uuid":"own-process:1"}', 'own-process:1'],
  ])('takes an event id only if it is valid: %s', (_title, text, expected) => {
    expect(readDeliveryBody(Buffer.from(text))?.eventId).toBe(expected);
    expect(({} as Record<string, unknown>)['id']).toBeUndefined();
  });
});

describe('ids and names of events in logs and histories', () => {
  it.each([
    ['6f1b2c1e-8a3d-4f27-9b1c-123456789012', true],
    ['evt_01HZX', true],
    ['own-process:1000001-51.2026.8.26.0100:1', false],
    ['own-process:10000015120268260100', false],
    ['529.982.247-25', false],
    ['SP123456', false],
    ['Maria da Silva', false],
  ])('show the event id %s: %s', (id, shown) => {
    expect(publicEventId(id)).toEqual(shown ? id : expect.stringMatching(/^sha256:[0-9a-f]{32}$/));
  });

  it.each([
    ['nova_movimentacao', 'nova_movimentacao'],
    ['Maria da Silva', 'other'],
    ['evento_52998224725', 'other'],
    ['', 'other'],
  ])('show the event name %j as %s', (name, expected) => expect(publicEventName(name)).toBe(expected));
});

it('skewSecondsOf reads the unsigned timestamp strictly and never throws', () => {
  const skew = (text: string): number | undefined => skewSecondsOf(['X-Service-Timestamp', text], 1_800_000_010_000);
  expect([skew('1800000000'), skew('1800000000abc'), skew('-1800000000'), skew('1e9'), skew('')]).toEqual([
    10,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('createMetrics writes its counters as Prometheus text, including those that are zero', async () => {
  const metrics = createMetrics(['default']);
  // An alert needs a rise between two scrapes: a counter that first appears with a value has none.
  const before = await metrics.text();
  for (const reason of ['signature-missing', 'signature-mismatch', 'database-slow', 'no-room', 'busy'])
    expect(before).toContain(`tramita_bridge_refused_total{reason="${reason}"} 0\n`);
  expect(before).toContain('tramita_bridge_conflict_total{account="default"} 0\n');
  expect(before).toContain('tramita_bridge_relay_error_total 0\n');
  metrics.count('refused', { reason: 'signature-missing' });
  metrics.count('refused', { reason: 'signature-missing' });
  expect(await metrics.text()).toContain('tramita_bridge_refused_total{reason="signature-missing"} 2\n');
  expect(await metrics.text()).toContain('tramita_bridge_accepted_total{account="default"} 0\n');
});

it.each([
  ['20.20.1', false],
  ['20.20.2', true],
  ['20.21.0', true],
  ['21.7.3', false],
  ['22.21.1', false],
  ['22.22.2', true],
  ['23.11.0', false],
  ['24.14.0', false],
  ['24.14.1', true],
  ['25.8.1', false],
  ['25.8.2', true],
  ['26.0.0', true],
])('nodeVersionProblem knows whether Node %s has the fixes against crafted requests: %s', (version, isFixed) => {
  expect(nodeVersionProblem(version) === undefined).toBe(isFixed);
});
