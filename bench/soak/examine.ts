/**
 * The end of a soak: ledger and charge books side by side (the auditor of the tests), requests that reached the service
 * beside what the ledger says was sent, and what became of every flow.
 */
import {
  OPERATIONS,
  ZERO_AMOUNT,
  isCharged,
  withExtraOperations,
  type Gaps,
  type OperationId,
} from '../../src/contract/index.js';
import { createTokens } from '../../src/config/index.js';
import { createLedger, toLedgerRow } from '../../src/ledger/index.js';
import { findProblems, type AuditedRow, type BookCharge, type Finding } from '../../test/support/audit.js';
import { aboutTarget } from './about.js';
import type { FlowBook } from './flows.js';
import { pageOf } from './person.js';
import type { Service } from './service.js';
import type { World } from './world.js';

export interface Examined {
  readonly rows: readonly AuditedRow[];
  readonly charges: number;
  readonly findings: readonly Finding[];
  /** Calls beyond what was asked for, per label of the flow. */
  readonly doubles: ReadonlyMap<string, number>;
  /** One sentence per call that reached the service although the ledger says that it was not sent, or more often than sent. */
  readonly reached: readonly string[];
  /** Requests with a key on the origin of signed links. */
  readonly keysLeaked: number;
}

/** Part of the world that is looked at. */
export type ExaminedWorld = Pick<World, 'db' | 'gaps' | 'flows'> & {
  readonly services: Readonly<Record<string, Service>>;
};

/** The sandbox changes what it sends after it has written its hash down. */
const ALTERED = /^F1[367] /;

export async function examine(world: ExaminedWorld): Promise<Examined> {
  const rows = await readRows(world);
  const perService = await Promise.all(
    Object.values(world.services).map((service) => examineService(world, service, rows)),
  );
  const doubles = new Map<string, number>();
  for (const [label, count] of perService.flatMap((each) => each.doubles)) {
    doubles.set(label, (doubles.get(label) ?? 0) + count);
  }
  return {
    rows,
    doubles,
    charges: perService.reduce((sum, { charges }) => sum + charges, 0),
    findings: perService.flatMap(({ findings }) => findings),
    reached: perService.flatMap(({ reached }) => reached),
    keysLeaked: perService.reduce((sum, { keysLeaked }) => sum + keysLeaked, 0),
  };
}

/** Through the ledger's own door, as `tramita ledger list --json` does. */
async function readRows({ db, gaps, flows }: ExaminedWorld): Promise<readonly AuditedRow[]> {
  const ledger = createLedger({
    ...{ db, gaps, clock: Date.now, token: createTokens('only to read rows, 0123456789abcdef0123').token },
    settings: { accounts: {}, prices: { default: ZERO_AMOUNT } },
    catalogue: withExtraOperations(OPERATIONS, []),
  });
  const intents = await ledger.list({ limit: 1_000_000 });
  return intents.map(toLedgerRow).filter(({ workflowId }) => flows.find(workflowId) !== undefined);
}

async function examineService(
  world: ExaminedWorld,
  service: Service,
  all: readonly AuditedRow[],
): Promise<{
  readonly charges: number;
  readonly findings: readonly Finding[];
  readonly doubles: readonly (readonly [string, number])[];
  readonly reached: readonly string[];
  readonly keysLeaked: number;
}> {
  const { flows, gaps } = world;
  const own = flows.all().filter(({ ask }) => ask.service === service);
  const altered = new Set(own.filter(({ label }) => ALTERED.test(label)).flatMap(({ ask }) => ask.abouts));
  const rows = all
    .filter(({ workflowId }) => flows.find(workflowId)?.ask.service === service)
    .map((row) => (altered.has(aboutRow(flows, row)) ? { ...row, bodySha256: null } : row));
  const book = (await service.charges()).map((charge) =>
    altered.has(charge.about) ? { ...charge, bodySha256: null } : charge,
  );
  const findings = findProblems({
    ledger: rows,
    book,
    subjectOf: { row: (row) => aboutRow(flows, row), charge: ({ about }) => about ?? '' },
    asked: new Map(),
    decisionsAreTrue: true,
  });
  const requests = await service.requests();
  return {
    charges: book.length,
    findings,
    doubles: doublesOf(flows, service, book),
    reached: reachedUnsent({ flows, gaps, service, rows, requests }),
    keysLeaked: requests.filter(({ origin, keyHash }) => origin === 'documents' && keyHash !== null).length,
  };
}

function aboutRow(flows: FlowBook, row: AuditedRow): string {
  return flows.find(row.workflowId)?.ask.abouts[pageOf(row.step)] ?? row.workflowId;
}

function doublesOf(flows: FlowBook, service: Service, book: readonly BookCharge[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { about = '', reason } of book) {
    if (reason !== 'recurring') counts.set(about, (counts.get(about) ?? 0) + 1);
  }
  return flows
    .all()
    .filter(({ ask }) => ask.service === service)
    .flatMap(({ ask, label }) =>
      ask.abouts.flatMap((about): [string, number][] => {
        const more = (counts.get(about) ?? 0) - 1;
        return more > 0 ? [[label, more]] : [];
      }),
    );
}

/**
 * A GET is known by its target. Calls with a body are not in the request log, so they are compared by the sum of their
 * operation.
 */
function reachedUnsent({
  flows,
  gaps,
  service,
  rows,
  requests,
}: {
  readonly flows: FlowBook;
  readonly gaps: Gaps;
  readonly service: Service;
  readonly rows: readonly AuditedRow[];
  readonly requests: Awaited<ReturnType<Service['requests']>>;
}): string[] {
  const reached = new Map<string, number>();
  const add = (key: string, count: number): void => void reached.set(key, (reached.get(key) ?? 0) + count);
  const keyOf = (operation: string, method: string, target: string): string =>
    method === 'GET' ? `${operation} ${aboutTarget(operation as OperationId, target, gaps)}` : operation;
  const charged = new Map(OPERATIONS.filter((each) => isCharged(each)).map(({ id, method }) => [id as string, method]));
  for (const { operation, method, target } of requests) {
    if (operation === null || !charged.has(operation)) continue;
    const own = service.ownCalls.has(`${method} ${target}`) ? 1 : 0;
    if (own === 0) add(keyOf(operation, method, target), 1);
    else add(`own ${method} ${target} of ${keyOf(operation, method, target)}`, 1);
  }
  // Of targets that the harness called as well, what goes beyond its own calls is the flows'.
  for (const [key, count] of [...reached]) {
    const [, call = '', of = ''] = /^own (.*) of (.*)$/.exec(key) ?? [];
    if (call === '') continue;
    reached.delete(key);
    const beyond = count - (service.ownCalls.get(call) ?? 0);
    if (beyond > 0) add(of, beyond);
  }
  const sent = new Map<string, number>();
  for (const row of rows) {
    if (row.joined !== null || !wasSent(row)) continue;
    const key = charged.get(row.operation) === 'GET' ? `${row.operation} ${aboutRow(flows, row)}` : row.operation;
    sent.set(key, (sent.get(key) ?? 0) + 1);
  }
  return [...reached].flatMap(([key, count]) => {
    const known = sent.get(key) ?? 0;
    return count <= known
      ? []
      : [`${service.name}: ${key} reached the service ${count} times, the ledger knows of ${known}`];
  });
}

/** Rows behind which a request may have reached the service. */
function wasSent({ state, evidence }: AuditedRow): boolean {
  return state !== 'not_sent' && evidence?.['closed'] !== 'before it was sent';
}
