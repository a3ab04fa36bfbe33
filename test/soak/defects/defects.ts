/**
 * Deliberate defects: each undoes one rule of the charged call by wrapping what a worker is built from. None is reachable
 * from production code. Each one names the fault that it meets, and the kinds of findings that the auditor has to report.
 */
import { randomUUID } from 'node:crypto';
import type { Activities, ActivityDeps } from '../../../src/activities/index.js';
import type { ServiceClient } from '../../../src/http/index.js';
import type { ChargedActivities, ChargedCallResult } from '../../../src/protocol/index.js';
import type { FindingKind } from '../../../src/testing/index.js';

export interface Defect {
  readonly what: string;
  readonly fault: Readonly<Record<string, unknown>> | undefined;
  readonly kinds: readonly FindingKind[];
  readonly deps?: (deps: ActivityDeps) => ActivityDeps;
  readonly charged?: (charged: Activities['charged']) => Activities['charged'];
  /** Memo of the flow, read by the interceptor of the bundle. */
  readonly options?: { readonly maximumAttempts?: number; readonly startToCloseMs?: number };
  /** Equal calls of two flows instead of different ones. */
  readonly twins?: true;
  /** One after the other: a connection can be used again. */
  readonly inTurn?: true;
}

export const DEFECTS: readonly Defect[] = [
  {
    what: 'the client sends again when the connection was reset',
    fault: { fault: 'F4' },
    kinds: ['paid twice'],
    deps: withSend((send) => async (request, options) => {
      const exchange = await send(request, options);
      return exchange.kind === 'no_answer' ? send(request, options) : exchange;
    }),
  },
  {
    what: 'a reset connection counts as "not sent"',
    fault: { fault: 'F4' },
    kinds: ['paid twice', 'denied charge'],
    deps: withSend((send) => async (request, options) => {
      const exchange = await send(request, options);
      return exchange.kind === 'no_answer' ? { kind: 'not_sent', reason: exchange.reason } : exchange;
    }),
  },
  {
    what: 'charged calls share connections, and a stale one counts as "not sent"',
    fault: { fault: 'F14', charged: true, times: 1 },
    kinds: ['paid twice', 'denied charge'],
    inTurn: true,
    deps: withSend((send) => async (request, { totalMs }) => {
      const exchange = await send(request, { totalMs, keepAlive: true });
      return exchange.kind === 'no_answer' ? { kind: 'not_sent', reason: exchange.reason } : exchange;
    }),
  },
  {
    what: 'the answer is not settled',
    fault: undefined,
    kinds: ['left open'],
    deps: (deps) => ({
      ...deps,
      ledger: {
        ...deps.ledger,
        settle: async (intentId, { state, charged = null }) => {
          const intent = await deps.ledger.find(intentId);
          if (intent === undefined) throw new Error('no row');
          return { intent: { ...intent, state, charged }, applied: true, eventSeen: false, wakes: [] };
        },
      },
    }),
  },
  {
    what: 'equal calls of two flows are not joined',
    fault: { fault: 'F7', ms: 1_000 },
    kinds: ['paid twice'],
    twins: true,
    deps: (deps) => ({
      ...deps,
      ledger: {
        ...deps.ledger,
        openIntent: (request) =>
          deps.ledger.openIntent({ ...request, params: { ...request.params, nonce: randomUUID() } }),
      },
    }),
  },
  {
    what: 'an unknown outcome is repeated as if it had not been sent',
    fault: { fault: 'F5' },
    kinds: ['paid twice'],
    charged: withResult((result) => (result.outcome === 'UNKNOWN' ? { ...result, outcome: 'NOT_SENT' } : result)),
    // The ledger would stop this defect (decision 0013). Here it takes each ordinal for a step of its own.
    deps: (deps) => ({
      ...deps,
      ledger: {
        ...deps.ledger,
        openIntent: (request) =>
          deps.ledger.openIntent(
            request.ordinal === 1 ? request : { ...request, step: `${request.step}#${request.ordinal}` },
          ),
      },
    }),
  },
  {
    what: 'a call has two attempts, and the second does not look for the row of the first',
    fault: { fault: 'F4' },
    kinds: ['paid twice'],
    options: { maximumAttempts: 2 },
    charged: withResult(throwUnknown),
    deps: (deps) => ({
      ...deps,
      ledger: {
        ...deps.ledger,
        openIntent: (request) => {
          const again = request.attempt > 1 ? { step: `${request.step}/again`, attempt: 1 } : {};
          return deps.ledger.openIntent({ ...request, ...again });
        },
      },
    }),
  },
  {
    what: 'the answer is stored in another spelling',
    fault: undefined,
    kinds: ['facts differ'],
    deps: withSend((send) => async (request, options) => {
      const exchange = await send(request, options);
      if (exchange.kind !== 'answer') return exchange;
      return { ...exchange, body: Buffer.from(JSON.stringify(JSON.parse(exchange.body.toString('utf8')), null, 1)) };
    }),
  },
  {
    what: 'a 5xx counts as a refusal that cost nothing',
    fault: { fault: 'F9', status: 500 },
    kinds: ['paid twice', 'denied charge'],
    deps: (deps) => ({
      ...deps,
      accounts: new Map([...deps.accounts].map(([name, account]) => [name, { ...account, serverErrors: 'free' }])),
    }),
    charged: withResult((result) => (result.outcome === 'REJECTED' ? { ...result, retryAfterMs: 100 } : result)),
  },
];

/** Two attempts alone are harmless: the ledger's row stops the second. The defect above therefore also hides that row. */
export const HARMLESS: Defect = {
  what: 'a call has two attempts, but the ledger knows the first',
  fault: { fault: 'F4' },
  kinds: [],
  options: { maximumAttempts: 2 },
  charged: withResult(throwUnknown),
};

type Send = ServiceClient['send'];

/** Changes the sends of charged calls only; free reads stay as they are. */
export function withSend(change: (send: Send) => Send): (deps: ActivityDeps) => ActivityDeps {
  return (deps) => ({
    ...deps,
    accounts: new Map(
      [...deps.accounts].map(([name, account]) => {
        const { client } = account;
        const changed = change((request, options) => client.send(request, options));
        const send: Send = (request, options) =>
          options.beforeWrite === undefined ? client.send(request, options) : changed(request, options);
        return [name, { ...account, client: { ...client, send } }];
      }),
    ),
  });
}

function withResult(change: (result: ChargedCallResult) => ChargedCallResult): NonNullable<Defect['charged']> {
  return (charged) =>
    Object.fromEntries(
      Object.entries(charged).map(([id, run]) => [
        id,
        async (input: Parameters<typeof run>[0]) => change(await run(input)),
      ]),
    ) as ChargedActivities;
}

function throwUnknown(result: ChargedCallResult): ChargedCallResult {
  if (result.outcome === 'UNKNOWN') throw new Error('no answer');
  return result;
}
