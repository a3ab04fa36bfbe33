/** The reads that the resolver of an unknown charge makes fit into one attempt, however slowly the service answers. */
import { findEvidence } from '../../src/activities/evidence/find-evidence.js';
import type { EvidenceDeps } from '../../src/activities/evidence/types.js';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import { EVIDENCE_DEADLINE_MS } from '../../src/contract/values/index.js';
import type { Exchange } from '../../src/http/index.js';
import { makeIntent } from '../support/kept-intent.js';

const LISTING_ANSWERS_AFTER_MS = 14_000;
const BALANCE_ANSWERS_AFTER_MS = 9_900;
const MONITORS = Array.from({ length: 100 }, (_, place) => ({ id: String(place), ativo: true, termo: 'Other' }));

/** A service that takes its time, and a database in which another account writes all the time. */
function slowWorld() {
  let nowMs = 0;
  let pages = 0;
  const answer = (data: unknown): Exchange => {
    const body = Buffer.from(JSON.stringify({ data, meta: { requestId: 'm-1', searchLogId: null } }));
    return { kind: 'answer', head: { status: 200, headers: {}, receivedAtMs: nowMs }, body };
  };
  const send = ({ operation }: { readonly operation?: string }): Promise<Exchange> => {
    const isListing = operation === 'listRadars';
    nowMs += isListing ? LISTING_ANSWERS_AFTER_MS : BALANCE_ANSWERS_AFTER_MS;
    pages += isListing ? 1 : 0;
    const monitors = MONITORS.map((monitor) => ({ ...monitor, id: `${pages}-${monitor.id}` }));
    return Promise.resolve(isListing ? answer({ items: monitors }) : answer({ credits: 10 }));
  };
  const quiet = { seq: 1, busy: 0, recentRows: 1, endedBelow: 1, begunBelow: 2 };
  const deps = {
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: DEFAULT_GAPS,
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    log: { error: () => undefined },
    ledger: {
      isBarred: () => Promise.resolve(false),
      holdOf: () => Promise.resolve(undefined),
      list: () => Promise.resolve([]),
      life: () => Promise.resolve({ begunAtMs: 0 }),
      openingBalance: () => Promise.resolve({ amount: 100_000, seq: 1, takenAtMs: 0 }),
      quiet: () => Promise.resolve(quiet),
    },
    monitors: { snapshotOf: () => Promise.resolve(undefined), kept: () => Promise.resolve([]) },
  } as unknown as EvidenceDeps;
  const account = { name: 'default', client: { send }, exclusive: true, debitAt: 'answer', refunds: 'never' } as never;
  return { deps, account, tookMs: () => nowMs };
}

it('a listing of several pages and the balance', async () => {
  const { deps, account, tookMs } = slowWorld();
  const intent = makeIntent({ operation: 'createRadar', state: 'unknown' });
  const subject = { account: 'default', operation: 'createRadar', params: {}, body: { termo: 'Ours' } };
  const { looked } = await findEvidence(deps, { account, intent, subject, overAtMs: 0 });
  expect(looked).toMatch(/^the listing \(.*\); the balance \(it could not be read while/);
  expect(tookMs()).toBeGreaterThan(60_000);
  expect(tookMs()).toBeLessThan(EVIDENCE_DEADLINE_MS);
});
