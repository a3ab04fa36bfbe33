/** A flow that begins to wait for events about a lawyer, while one comes. */
import { randomUUID } from 'node:crypto';
import { saveFirstPage } from '../../src/activities/lawyers/import-steps.js';
import { DEFAULT_GAPS } from '../../src/contract/index.js';
import { oabKey, type Wake } from '../../src/inbox/index.js';
import { createLawyerCollections } from '../../src/records/index.js';
import { withLocks } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { token } from '../support/plant-subject.js';
import { MINUTE_MS, incomingEvent, intentOf, jsonBody, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();
const OAB = 'SP:123456';
const EVENT = 'resultado_busca_oab_async';

test('an import is woken by an event that came after page 1 was settled and before it waited', async () => {
  const { ledger, inbox, clock } = makeLedger(database.db);
  const request = refreshRequest();
  const { intentId } = intentOf(await ledger.openIntent(request));
  const record = (event: string) => inbox.record(incomingEvent({ event, keys: [oabKey(OAB)] }));
  await record(EVENT);
  clock.nowMs += MINUTE_MS;
  await ledger.settle(intentId, { state: 'done', body: jsonBody({ data: { processos: [] } }) });
  clock.nowMs += MINUTE_MS;
  const news = [await record(EVENT), await record(EVENT), await record('processo_verificado')];
  expect(news.flatMap(({ wakes }) => wakes)).toEqual([]);
  const lawyers = createLawyerCollections({ db: database.db, token });
  const { workflowId, account } = request;
  await saveFirstPage(
    {
      ledger,
      lawyers,
      waitFor: (wait) => inbox.waitFor(wait),
      clock: { ...clock, nowMs: () => clock.nowMs } as never,
      gaps: DEFAULT_GAPS,
    },
    { account, oab: OAB, intentId, setId: randomUUID(), complete: false, workflowId },
  );
  const owed: Wake[] = [];
  await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 0 }, (wakes) => {
    owed.push(...wakes.filter((wake) => wake.workflowId === workflowId));
    return Promise.resolve(wakes);
  });
  expect(owed.map(({ event }) => event).sort()).toEqual(['processo_verificado', EVENT]);
});

test('a flow begins to wait under the locks of its keys', async () => {
  const { inbox } = makeLedger(database.db);
  const key = oabKey('SP:654321');
  const order: string[] = [];
  let waiting: Promise<void> | undefined;
  await withLocks(database.db, [key], async () => {
    waiting = inbox
      .waitFor({ workflowId: 'w', intentId: randomUUID(), keys: [key] })
      .then(() => void order.push('waits'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('recorded');
  });
  await waiting;
  expect(order).toEqual(['recorded', 'waits']);
});
