/** Hostile input: payloads of every encoding and JSON of every form, from one seed. Pure except for the generator. */
import type { temporal } from '@temporalio/proto';
import type { WorkflowType } from '../../src/protocol/index.js';
import type { Random } from '../../soak/random.js';

export type Payload = temporal.api.common.v1.IPayload;

const CNJ = '1000001-51.2026.8.26.0100';
/** The portfolio refreshes this case under the default id, which no other file uses. */
const OF_PORTFOLIO = '1000010-13.2026.8.26.0100';

/** The smallest valid input of each flow. */
export const VALID = {
  refreshCase: { cnj: CNJ },
  refreshPortfolio: { name: 'hostile', cases: [OF_PORTFOLIO] },
  callOperation: { operation: 'getCase', params: { cnj: CNJ } },
  collectPages: { operation: 'listMovements', params: { cnj: CNJ, limit: 2 }, maxPages: 1 },
  readCase: { cnj: CNJ, include: ['cover'] },
  summarizeCase: { cnj: CNJ },
  awaitRequest: { requestId: '7c1b8c52-6f0e-4a54-9a25-0c8f5f2f0a11' },
  searchBoard: { from: '2026-08-15', to: '2026-08-16', maxPages: 1 },
  importLawyerCases: { oab: 'SP:123456' },
  syncNotices: { oabs: ['SP:123456'] },
  ensureNoticeMonitor: { oabs: ['SP:123456'] },
  createRadar: { reference: 'hostile', definition: { q: 'x' } },
  createCaseMonitor: { reference: 'hostile', definition: { numero_cnj: CNJ } },
  deactivateMonitor: { kind: 'radar', id: '1' },
  auditMonitors: {},
} satisfies Record<WorkflowType, object>;

export function validInput(type: string): object | undefined {
  return new Map<string, object>(Object.entries(VALID)).get(type);
}

const text = (value: string): Uint8Array => Buffer.from(value);

export function payloadOf(encoding: string, data: Uint8Array): Payload {
  return { metadata: { encoding: text(encoding) }, data };
}

export function jsonPayload(value: unknown): Payload {
  return payloadOf('json/plain', text(JSON.stringify(value)));
}

/** A payload that none of our workers can decode. */
export function undecodablePayload(random: Random): Payload {
  const bytes = Buffer.from(Array.from({ length: random.integer(60) }, () => random.integer(256)));
  return random.pick<() => Payload>([
    () => payloadOf('json/plain', text(random.pick(['{', '{"cnj":', 'undefined', '[1,]', "{'a':1}", '\u0000', 'NaN']))),
    () => payloadOf('json/plain', new Uint8Array()),
    () => payloadOf('json/plain', Buffer.from([0xff, 0xfe, 0xc3, 0x28])),
    () => payloadOf('json/protobuf', text('{"cnj":"1"}')),
    () => payloadOf('binary/protobuf', bytes),
    () => payloadOf('binary/encrypted', bytes),
    () => payloadOf('binary/plain', bytes),
    () => payloadOf('binary/plain', new Uint8Array()),
    () => payloadOf('json/plain\u0000', text('{}')),
    () => payloadOf('__proto__', text('{}')),
    () => payloadOf('x'.repeat(5_000), text('{}')),
    () => ({ metadata: { encoding: bytes }, data: text('{}') }),
    () => ({ metadata: { other: text('json/plain') }, data: text('{}') }),
    () => ({ metadata: {}, data: text('{}') }),
    () => ({ data: bytes }),
    () => ({}),
  ])();
}

/** JSON that no flow accepts, or that only resembles valid input. */
function junk(random: Random): unknown {
  const half = '\ud800'.repeat(1 + random.integer(3));
  return random.pick<() => unknown>([
    () => null,
    () => random.pick([true, false, 0, -1, 1e308, 0.1, '', 'text', [], {}, [null], [[]], [{}]]),
    () => 'x'.repeat(random.pick([10, 1_000, 100_000])),
    () => '9'.repeat(random.pick([11, 14, 20, 100_000])),
    () => ({ [half]: half, ['\u{1f4a9}'.repeat(30)]: 1 }),
    () => half + '\u{1f4a9}'.repeat(40),
    () => '\u0000\u0001\u202e\ufeff',
    () => JSON.parse('{"__proto__":{"cnj":"x","account":"default"},"constructor":{"prototype":{}}}') as unknown,
    () => ({ toString: 1, valueOf: null, hasOwnProperty: [], then: 'x', length: -1 }),
    () => Object.fromEntries(Array.from({ length: 2_000 }, (_none, n) => [`m${n}`, n])),
    () => nested(random.pick([40, 1_000]), random.pick(['list', 'object'])),
    () => ({ cnj: CNJ, account: nested(100, 'object') }),
    () => Array.from({ length: 3_000 }, () => CNJ),
  ])();
}

function nested(levels: number, kind: 'list' | 'object'): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = kind === 'list' ? [value] : { a: value };
  return value;
}

/** Some payloads are nested too deep for `JSON.stringify`, so their text is put together here. */
export function junkPayload(random: Random): Payload {
  if (random.integer(12) > 0) return jsonPayload(junk(random));
  const levels = random.pick([3_000, 20_000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  return payloadOf('json/plain', text(`${open.repeat(levels)}1${close.repeat(levels)}`));
}

/** A valid input of `type` with one member replaced by junk. */
export function spoiledInput(type: string, random: Random): Payload {
  const valid = validInput(type) ?? {};
  const names = [
    ...Object.keys(valid),
    'account',
    'maxSpend',
    'webhook',
    'maxAge',
    'once',
    'params',
    'body',
    'definition',
  ];
  if (random.integer(10) > 0) return jsonPayload({ ...valid, [random.pick(names)]: junk(random) });
  const levels = 5_000;
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const members = JSON.stringify({ ...valid, body: 0, definition: 0 }).replace(/:0/g, `:${deep}`);
  return payloadOf('json/plain', text(members));
}

/** State that pretends to come from an earlier run of the flow. */
export function forgedState(random: Random): unknown {
  const setId = '00000000-0000-4000-8000-000000000000';
  const target = random.pick([
    '/api/v1/financial/balance',
    '/api/v1/tribunal/advogado?page=1',
    'https://example.org/',
    '/',
  ]);
  const state = { paidChecks: 1, allowed: 99, restarts: 0, lastPurchaseMs: 0, provisionalSet: setId, records: [] };
  return random.pick<() => unknown>([
    () => null,
    () => undefined,
    () => ({}),
    () => ({ ...state, staging: { setId, version: null, pages: 1, cursor: { page: 2, target } } }),
    () => ({ ...state, book: { records: [], counts: {} }, staging: { setId, version: null, pages: 1, cursor: null } }),
    () => ({
      reuse: {},
      walk: { keys: [], fingerprints: [], following: { kind: 'link', key: '2', target }, items: 0, partial: false },
      book: { records: [] },
    }),
    () => ({ place: { read: 0, parts: { cover: { forged: true } } }, book: { records: [] } }),
    () => junk(random),
  ])();
}
