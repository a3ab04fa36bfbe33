/**
 * The person who decides parked flows with the service's charge book: says `charged` of what was charged, and `not-charged` of
 * what was not. Waits until the service can no longer charge. So every flow ends, and only tramita can cause a second charge.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Charge } from '../sandbox/index.js';
import { SEARCH_ATTRIBUTES, type Attention } from '../src/protocol/index.js';
import { resumeFlow, settleCharge } from '../src/starters/index.js';
import type { Database } from '../src/store/index.js';
import { pageOf, progressWithin, type Flow, type FlowBook, type ParkedStep, type Parking } from './flow-book.js';

const LOOK_EVERY_MS = 250;
const ANSWERED_WITHIN_MS = 3_000;
const UPDATE_WITHIN_MS = 20_000;
const AT_ONCE = 24;
/** A charge is written before any byte of its answer; this margin is for clocks. */
const MARGIN_MS = 100;
const BY = 'the soak';
const NO_ROW = '00000000-0000-0000-0000-000000000000';
/** Reasons that only the charge book can decide. In all other cases the flow is told to continue. */
const UNDECIDED: ReadonlySet<Attention> = new Set<Attention>(['unknown-charge', 'ledger-lost', 'charged-lost']);

export interface Person {
  /** Resolves after the decisions in progress. */
  stop(): Promise<void>;
}

interface Desk {
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
  readonly flows: Pick<FlowBook, 'find'>;
}

export function startPerson(desk: Desk): Person {
  const over = new AbortController();
  const busy = new Map<string, Promise<void>>();
  const query = `TaskQueue = "${desk.taskQueue}" AND ${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`;
  const look = async (): Promise<void> => {
    // A flow asks nobody in its first minute; a person who knows the charge book need not wait for that.
    const undecided = await flowsOfUndecided(desk.db);
    const asking: string[] = [];
    for await (const { workflowId } of desk.client.workflow.list({ query })) asking.push(workflowId);
    for (const workflowId of new Set([...asking, ...undecided])) {
      const flow = desk.flows.find(workflowId);
      // A row of an ended flow may stay undecided: querying such a flow would make a worker replay it.
      const isOver = flow?.workflowId === workflowId && flow.end !== undefined;
      if (flow === undefined || isOver || busy.has(workflowId) || busy.size >= AT_ONCE) continue;
      const deciding = decide(desk, flow, workflowId)
        // The flow has moved in the meantime, or no worker was there: the next round tries again.
        .catch(() => undefined)
        .finally(() => busy.delete(workflowId));
      busy.set(workflowId, deciding);
    }
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      // Servers may be killed during a round: the next round comes in a moment.
      await look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
    await Promise.all(busy.values());
  })();
  return {
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}

async function decide(desk: Desk, flow: Flow, workflowId: string): Promise<void> {
  const { client, db } = desk;
  const progress = await progressWithin(client, workflowId, ANSWERED_WITHIN_MS);
  if (progress?.state !== 'parked') return;
  const { step = '', operation = '' } = progress.steps.at(-1) ?? {};
  const parked = { workflowId, step, operation };
  const row = await readRow(db, parked);
  if (row !== undefined && Date.now() < row.openedAtMs + (flow.lateMs ?? 0) + MARGIN_MS) return;
  const attention = progress.attention ?? attentionOf(row);
  const charge = await chargeFor(db, flow, { parked, row });
  const isKnown = flow.parked.some(
    (each) => each.workflowId === workflowId && each.row?.intentId === row?.intentId && each.attention === attention,
  );
  if (!isKnown) flow.parked.push({ ...parked, attention, atMs: Date.now(), row, charge });
  /** An update needs a worker; without one it is tried again later. */
  const within = <T>(update: () => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + UPDATE_WITHIN_MS, update);
  if (!UNDECIDED.has(attention)) {
    await within(() => resumeFlow(client, workflowId, { by: BY }));
    flow.decisions.push('resume');
    return;
  }
  const { requestId = null } = charge ?? {};
  const decision =
    charge === undefined ? 'not-charged' : requestId === null && attention === 'charged-lost' ? 'abandon' : 'charged';
  const known = requestId === null ? {} : { requestId };
  await within(() => settleCharge(client, workflowId, { step, decision, by: BY, ...known }));
  flow.decisions.push(requestId === null ? decision : `${decision} with id`);
}

function attentionOf(row: Parking['row']): Attention {
  return row?.state === 'charged_lost' ? 'charged-lost' : 'unknown-charge';
}

async function flowsOfUndecided(db: Database): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('tramita.intent')
    .select('workflow_id')
    .distinct()
    .where('joined', 'is', null)
    .where('state', 'in', ['unknown', 'charged_lost'])
    .execute();
  return rows.map((row) => row.workflow_id);
}

async function readRow(db: Database, { workflowId, step }: ParkedStep): Promise<Parking['row']> {
  const row = await db
    .selectFrom('tramita.intent')
    .select(['intent_id', 'state', 'opened_at'])
    .where('workflow_id', '=', workflowId)
    .where('step', '=', step)
    .where('joined', 'is', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { intentId: row.intent_id, state: row.state, openedAtMs: row.opened_at };
}

/** The charge of exactly this row: it is for this step, and no other row names it. */
async function chargeFor(
  db: Database,
  { service, abouts, owns }: Flow,
  { parked, row }: { readonly parked: ParkedStep; readonly row: Parking['row'] },
): Promise<Charge | undefined> {
  const about = abouts[pageOf(parked.step)];
  const isAbout = (charge: Charge): boolean => charge.about === about || charge.subject.cnj === about;
  for (const charge of await service.charges()) {
    if (charge.operation !== parked.operation || charge.reason === 'recurring') continue;
    if (!(await (owns ?? isAbout)(charge, parked, row))) continue;
    const owner = await db
      .selectFrom('tramita.intent')
      .select('intent_id')
      .where('joined', 'is', null)
      .where('intent_id', '!=', row?.intentId ?? NO_ROW)
      .where((where) =>
        where.or([
          where('search_log_id', '=', charge.searchLogId),
          ...(charge.requestId === null ? [] : [where('request_id', '=', charge.requestId)]),
        ]),
      )
      .executeTakeFirst();
    if (owner === undefined) return charge;
  }
  return undefined;
}
