/**
 * Decides parked flows as a person would who has the service's statement on the table: looks for the charge, and says what
 * stands there. Waits until the service can no longer charge. Every decision is the true one, so whatever goes wrong
 * afterwards is a fault of the flows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Charge } from '../../sandbox/index.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { resumeFlow, settleCharge } from '../../src/starters/index.js';
import type { Database } from '../../src/store/index.js';
import type { FlowBook, FlowRecord } from './flows.js';

const LOOK_EVERY_MS = 250;
const UPDATE_WITHIN_MS = 20_000;
const AT_ONCE = 24;
/** A charge is written before any byte of its answer; this is for clocks. */
const MARGIN_MS = 100;

export interface Person {
  /** Ends after the look that is under way. */
  stop(): Promise<void>;
}

interface ParkedRow {
  readonly intentId: string;
  readonly step: string;
  readonly state: string;
  readonly openedAtMs: number;
}

export function startPerson(world: {
  readonly client: Client;
  readonly db: Database;
  readonly flows: FlowBook;
}): Person {
  const busy = new Map<string, Promise<void>>();
  /** A parked flow is found in visibility for a moment after it went on. */
  const decided = new Set<string>();
  let stopped = false;
  const look = async (): Promise<void> => {
    const query = `${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`;
    for await (const { workflowId, typedSearchAttributes } of world.client.workflow.list({ query })) {
      const flow = world.flows.find(workflowId);
      const attention = typedSearchAttributes
        .getAll()
        .find(({ key }) => key.name === SEARCH_ATTRIBUTES.attention)
        ?.value.toString();
      if (flow === undefined || flow.end !== undefined || attention === undefined) continue;
      if (busy.has(workflowId) || busy.size >= AT_ONCE) continue;
      const deciding = decide(world, flow, { attention, decided })
        // It moved meanwhile, or no worker was there: looked at again.
        .catch(() => undefined)
        .finally(() => busy.delete(workflowId));
      busy.set(workflowId, deciding);
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopped) {
      // Servers are killed under us: looked at again in a moment.
      await look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS);
    }
    await Promise.all(busy.values());
  };
  const looping = loop();
  return {
    stop: async () => {
      stopped = true;
      await looping;
    },
  };
}

async function decide(
  { client, db }: { readonly client: Client; readonly db: Database },
  flow: FlowRecord,
  { attention, decided }: { readonly attention: string; readonly decided: Set<string> },
): Promise<void> {
  const { workflowId } = flow;
  const by = 'the soak';
  if (attention !== 'unknown-charge' && attention !== 'charged-lost') {
    await within(resumeFlow(client, workflowId, { by }));
    flow.parked.push(attention);
    flow.decisions.push('resume');
    return;
  }
  const row = await parkedRow(db, workflowId);
  if (row === undefined || decided.has(row.intentId)) return;
  if (Date.now() < row.openedAtMs + flow.lateMs + MARGIN_MS) return;
  const charge = await chargeOf(db, flow, row);
  const decision =
    charge === undefined
      ? 'not-charged'
      : row.state === 'charged_lost' && charge.requestId === null
        ? 'abandon'
        : 'charged';
  const requestId = charge?.requestId ?? null;
  await within(
    settleCharge(client, workflowId, {
      step: row.step,
      decision,
      by,
      ...(requestId === null ? {} : { requestId }),
    }),
  );
  decided.add(row.intentId);
  flow.parked.push(attention);
  flow.decisions.push(requestId === null ? decision : `${decision} with id`);
}

async function parkedRow(db: Database, workflowId: string): Promise<ParkedRow | undefined> {
  const row = await db
    .selectFrom('tramita.intent')
    .select(['intent_id', 'step', 'state', 'opened_at'])
    .where('workflow_id', '=', workflowId)
    .where('state', 'in', ['unknown', 'charged_lost'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { intentId: row.intent_id, step: row.step, state: row.state, openedAtMs: row.opened_at };
}

/** The charge of this very row: about the same call, and named by no other row. */
async function chargeOf(db: Database, { ask }: FlowRecord, row: ParkedRow): Promise<Charge | undefined> {
  const charges = await ask.service.chargesAbout(ask.abouts[pageOf(row.step)] ?? '');
  for (const charge of charges) {
    const owner = await db
      .selectFrom('tramita.intent')
      .select('intent_id')
      .where('search_log_id', '=', charge.searchLogId)
      .where('intent_id', '!=', row.intentId)
      .executeTakeFirst();
    if (owner === undefined) return charge;
  }
  return undefined;
}

/** 0 for the first page (and for what has no pages). */
export function pageOf(step: string): number {
  const [, page = '1'] = /\/([^/]+)$/.exec(step) ?? [];
  return page === '1' ? 0 : 1;
}

/** An update waits for a worker; without one it is asked again later. */
async function within(update: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('soak: no worker took the update')), UPDATE_WITHIN_MS);
  });
  try {
    await Promise.race([update, late]);
  } finally {
    clearTimeout(timer);
  }
}
