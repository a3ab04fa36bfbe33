/**
 * News does not wake a flow by its case or its lawyer (docs/webhooks.md). An event of a known kind of news matches by
 * request id alone, for every reader. All its keys are kept for consumers. An event of an unknown name may end work.
 */
import { randomUUID } from 'node:crypto';
import { NEWS_EVENTS } from '../../src/contract/index.js';
import { eventExists } from '../../src/inbox/index.js';
import { instant } from '../../src/store/index.js';
import { sql } from 'kysely';
import { withDatabase } from '../support/database.js';
import { MINUTE_MS, NOON_MS, incomingEvent, intentOf, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();

const NEWS = [
  ...['nova_movimentacao', 'movimentacao_nova', 'diario_movimentacao_nova', 'publicacao_judicial_nova'],
  ...['novo_processo', 'novo_processo_envolvido', 'novo_documento'],
];
const POSSIBLE_ENDS = [
  ...['atualizacao_processo_concluida', 'atualizacao_concluida', 'resultado_processo_async'],
  ...['resultado_busca_oab_async', 'processo_verificado', 'processo_encontrado', 'processo_nao_encontrado'],
  ...['never_seen', 'nova_movimentacao_concluida', 'NOVA_MOVIMENTACAO', ''],
];

async function waitingFlow() {
  const made = makeLedger(database.db);
  const request = refreshRequest();
  const { intentId } = intentOf(await made.ledger.openIntent(request));
  const requestId = randomUUID();
  const requestKey = `request:${requestId}`;
  await made.inbox.waitFor({ workflowId: request.workflowId, intentId, keys: [requestKey] });
  const [caseKey = ''] = request.waiterKeys;
  const wakenBy = async (event: string, keys: readonly string[]) =>
    (await made.inbox.record(incomingEvent({ event, keys }))).wakes.map(({ workflowId }) => workflowId);
  return { ...made, workflowId: request.workflowId, requestId, requestKey, caseKey, wakenBy };
}

const sees = async (keys: readonly string[]): Promise<boolean> => {
  const { rows } = await sql<{ seen: boolean }>`
    select ${eventExists(sql`${[...keys]}::text[]`, instant(NOON_MS))} as seen`.execute(database.db);
  return rows[0]?.seen === true;
};

test('NEWS_EVENTS has exactly the events that this file tests', () => {
  expect([...NEWS_EVENTS].sort()).toEqual([...NEWS].sort());
  expect(POSSIBLE_ENDS.filter((name) => NEWS_EVENTS.includes(name))).toEqual([]);
});

test.each(NEWS)('%s wakes a waiting flow by request id, not by case or lawyer', async (event) => {
  const { wakenBy, caseKey, requestKey, workflowId } = await waitingFlow();
  expect(await wakenBy(event, [caseKey, 'oab:SP:123456'])).toEqual([]);
  expect(await wakenBy(event, [`request:${randomUUID()}`, caseKey])).toEqual([]);
  expect(await wakenBy(event, [requestKey, caseKey])).toEqual([workflowId]);
});

test.each(POSSIBLE_ENDS)('%j wakes a flow that waits for the case', async (event) => {
  const { wakenBy, caseKey, workflowId } = await waitingFlow();
  expect(await wakenBy(event, [caseKey])).toEqual([workflowId]);
});

test('each event of one transaction is judged by its own name', async () => {
  const { inbox, caseKey, workflowId } = await waitingFlow();
  const names = ['nova_movimentacao', 'atualizacao_concluida', 'publicacao_judicial_nova', 'unknown', 'novo_processo'];
  const recorded = await Promise.all(
    names.map((event) => inbox.record(incomingEvent({ event, keys: [caseKey], eventId: `${event}-${caseKey}` }))),
  );
  const woken = recorded.map(({ wakes }) => wakes.map((wake) => wake.workflowId));
  expect(woken).toEqual([[], [workflowId], [], [workflowId], []]);
});

test('a news event keeps all its keys for consumers', async () => {
  const { inbox, caseKey } = await waitingFlow();
  const event = incomingEvent({ event: 'nova_movimentacao', keys: [caseKey, 'oab:SP:1'] });
  await inbox.record(event);
  const [stored] = (await inbox.readFeed({ limit: 1, filter: { ids: [event.eventId] } })).events;
  expect(stored?.keys).toEqual([caseKey, 'oab:SP:1']);
});

test('an earlier news event does not count for a flow that starts to wait for the case', async () => {
  const { inbox, caseKey, requestKey } = await waitingFlow();
  await inbox.record(incomingEvent({ event: 'nova_movimentacao', keys: [caseKey] }));
  expect(await sees([caseKey, requestKey])).toBe(false);
  expect(await inbox.eventsAbout({ keys: [caseKey], sinceMs: NOON_MS, limit: 10 })).toEqual([]);

  await inbox.record(incomingEvent({ event: 'nova_movimentacao', keys: [caseKey, requestKey] }));
  expect(await sees([caseKey])).toBe(false);
  expect(await sees([caseKey, requestKey])).toBe(true);
  expect(await inbox.eventsAbout({ keys: [requestKey], sinceMs: NOON_MS, limit: 10 })).toHaveLength(1);

  await inbox.record(incomingEvent({ event: 'unknown', keys: [caseKey] }));
  expect(await sees([caseKey])).toBe(true);
  expect(await inbox.eventsAbout({ keys: [caseKey], sinceMs: NOON_MS, limit: 10 })).toMatchObject([
    { event: 'unknown' },
  ]);
});

test('a replay of news wakes only flows that the event itself would have woken', async () => {
  const { inbox, caseKey, requestKey, workflowId } = await waitingFlow();
  const news = incomingEvent({ event: 'publicacao_judicial_nova', keys: [caseKey] });
  const named = incomingEvent({ event: 'nova_movimentacao', keys: [caseKey, requestKey] });
  const end = incomingEvent({ keys: [caseKey] });
  for (const event of [end, named, news]) await inbox.record(event);
  const replay = ({ eventId }: { readonly eventId: string }) => inbox.findReplay({ filter: { ids: [eventId] } });
  expect(await replay(news)).toEqual({ events: 1, withoutKeys: 0, wakes: [] });
  expect(await inbox.oweReplay({ filter: { ids: [news.eventId] } })).toEqual([]);
  expect((await replay(named)).wakes).toMatchObject([{ workflowId }]);
  // The wake names the newest event that may wake the flow.
  const all = await inbox.oweReplay({ filter: { ids: [end.eventId, news.eventId] } });
  expect(all).toMatchObject([{ workflowId, eventId: end.eventId }]);
});

test('a wait stays missed after news of its case, until an event with its request id comes', async () => {
  const made = makeLedger(database.db);
  const { ledger, inbox, clock } = made;
  const request = refreshRequest();
  const intent = intentOf(await ledger.openIntent(request));
  const requestId = randomUUID();
  const news = () => inbox.record(incomingEvent({ event: 'nova_movimentacao', keys: [...request.waiterKeys] }));
  clock.nowMs += MINUTE_MS;
  await news();
  await sql`
    update tramita.intent set state = 'done', request_id = ${requestId}, settled_at = ${instant(clock.nowMs + 1_000)}
    where intent_id = ${intent.intentId}`.execute(database.db);
  await sql`
    insert into tramita.case_refresh (account, cnj, state, with_documents, intent_id, finished_at)
    values ('default', ${String(request.params['cnj'])}, 'done', false, ${intent.intentId}, ${instant(clock.nowMs + 1_000)})`.execute(
    database.db,
  );
  clock.nowMs += MINUTE_MS;
  await news();
  const mine = async () =>
    (await inbox.findMissedEvents({ sinceMs: NOON_MS })).waits.filter(({ intentId }) => intentId === intent.intentId);
  expect(await mine()).toMatchObject([{ lateMs: null }]);
  await inbox.record(incomingEvent({ event: 'nova_movimentacao', keys: [`request:${requestId}`] }));
  expect(await mine()).toMatchObject([{ lateMs: MINUTE_MS - 1_000 }]);
});
