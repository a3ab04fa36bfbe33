/**
 * The matrix: every fault × every charged operation × {call, later page, 202, poll}. Each operation has a lane, in which its
 * cells run one after another; lanes run in parallel. A cell arms as many faults as it starts flows and waits until they have
 * ended, so that every flow meets exactly the fault under which it is counted.
 */
import { OPERATIONS, operationOf, type OperationId } from '../../src/contract/index.js';
import { describeFlow } from '../flow-book.js';
import type { Service } from '../service.js';
import type { World } from '../world.js';
import { CHARGED, PAGED } from './arguments.js';
import type { Ask, Asks } from './asks.js';
import { FAULT_ROWS, type FaultRow, type Where } from './faults.js';

/** A flow that has not ended by then is reported as undecided. */
const CELL_WITHIN_MS = 150_000;
/** The legacy search has its own limit: 30 a minute. */
export const RARE: readonly OperationId[] = ['searchLegacy'];
/** A file may drip for ten minutes before the client gives up. */
const LONG: readonly OperationId[] = ['getElectoralEditionPdf'];
const BIG_LABEL = 'F13';
/** The account whose service answers later. */
export const PENDING = 'pending';

/** Operations that may cost money, in the order of the catalogue. */
export const MATRIX_OPERATIONS = OPERATIONS.map(({ id }) => id).filter((id) => CHARGED[id] !== undefined);

export interface MatrixOptions {
  /** Minimum number of faulted charged calls. */
  readonly calls: number;
  /** Calls per operation whose service hangs or drips longer than any time limit (45 s each, in parallel). */
  readonly slow: number;
  /** Only these operations and faults; empty: all. */
  readonly operations: readonly string[];
  readonly faults: readonly string[];
}

/** What the parts of the matrix work with. */
export interface MatrixStage {
  readonly world: World;
  readonly asks: Asks;
  readonly say: (text: string) => void;
}

interface Cell {
  readonly row: FaultRow;
  readonly where: Where;
  readonly service: Service;
  /** Several operations when the fault strikes their common poll. */
  readonly operations: readonly OperationId[];
  /** Flows per operation. */
  readonly count: number;
}

interface MatrixPlan {
  readonly lanes: readonly (readonly Cell[])[];
  readonly polls: readonly Cell[];
  /** Calls that meet a fault. */
  readonly calls: number;
}

export function planMatrix(services: World['services'], wanted: MatrixOptions): MatrixPlan {
  const { default: now, [PENDING]: later } = services;
  if (now === undefined || later === undefined) throw new Error('soak: the matrix needs two services');
  const operations = MATRIX_OPERATIONS.filter((id) => isWanted(wanted.operations, id));
  const rows = FAULT_ROWS.filter(
    ({ label, trap }) => trap === true || isWanted(wanted.faults, label.split(' ')[0] ?? ''),
  );
  const lane = (service: Service, operation: OperationId, wheres: readonly Where[], repeats: number): Cell[] =>
    wheres.flatMap((where) =>
      rows
        .filter((row) => row.where.includes(where))
        .map((row) => ({
          row,
          where,
          service,
          operations: [operation],
          count: countOf(row, operation, { repeats, slow: wanted.slow }),
        }))
        .filter(({ count }) => count > 0),
    );
  const build = (repeats: number): MatrixPlan => {
    const lanes = operations.flatMap((operation) => [
      lane(now, operation, PAGED[operation] === undefined ? ['call'] : ['call', 'page'], repeats),
      ...(operationOf(operation).eligible202 ? [lane(later, operation, ['accepted'], repeats)] : []),
    ]);
    const polled = operations.filter((operation) => operationOf(operation).eligible202 && !RARE.includes(operation));
    const polls = rows
      .filter(({ where }) => where.includes('poll'))
      .map((row): Cell => ({
        row,
        where: 'poll',
        service: later,
        operations: polled,
        count: row.label.startsWith(BIG_LABEL) ? 1 : repeats,
      }));
    const calls = [...lanes.flat(), ...polls]
      .filter(({ row }) => row.trap !== true)
      .reduce((sum, cell) => sum + cell.count * cell.operations.length, 0);
    return { lanes, polls, calls };
  };
  let repeats = 1;
  while (repeats < 1_000 && build(repeats).calls < wanted.calls) repeats += 1;
  return build(repeats);
}

function isWanted(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

function countOf(
  row: FaultRow,
  operation: OperationId,
  { repeats, slow }: { readonly repeats: number; readonly slow: number },
): number {
  if (row.trap === true) return 1;
  if (row.slow === true) return row.label.startsWith('F8') && LONG.includes(operation) ? 0 : slow;
  return RARE.includes(operation) || row.label.startsWith(BIG_LABEL) ? 1 : repeats;
}

/** The calls of each cell. */
type Stock = ReadonlyMap<Cell, readonly Ask[]>;

/** Prepares all calls of the plan. */
export async function stockMatrix({ asks }: MatrixStage, { lanes, polls }: MatrixPlan): Promise<Stock> {
  const stock = new Map<Cell, readonly Ask[]>();
  const stockLane = async (lane: readonly Cell[]): Promise<void> => {
    for (const cell of lane.filter(({ row }) => row.trap !== true)) {
      const { service, operations, count, where } = cell;
      const made: Ask[] = [];
      for (const operation of operations) {
        made.push(...(await asks.make({ service, operation, count, paged: where === 'page' })));
      }
      stock.set(cell, made);
    }
  };
  await Promise.all([...lanes, polls].map(stockLane));
  return stock;
}

export async function runMatrix(stage: MatrixStage, plan: MatrixPlan, stock: Stock): Promise<void> {
  const total = [...plan.lanes.flat(), ...plan.polls].length;
  let cells = 0;
  const runAll = async (lane: readonly Cell[]): Promise<void> => {
    for (const cell of lane) {
      await runCell(stage, cell, stock.get(cell) ?? []);
      cells += 1;
      if (cells % 50 === 0 || cells === total) stage.say(`matrix: ${cells} of ${total} cells`);
    }
  };
  await Promise.all(plan.lanes.map(runAll));
  await runAll(plan.polls);
}

async function runCell(stage: MatrixStage, cell: Cell, asks: readonly Ask[]): Promise<void> {
  const [operation = 'getCase'] = cell.operations;
  if (cell.row.trap === true) return armCell(cell, { operation, times: 1_000_000 });
  if (cell.where === 'page') return runPages(stage, cell, asks);
  await armCell(cell, { operation: cell.where === 'poll' ? 'getRequest' : operation, times: asks.length });
  await runAsks(stage, cell, asks);
}

/** One after another: the fault strikes the second page; F16 and F17 change links, so they strike the first. */
async function runPages(stage: MatrixStage, cell: Cell, asks: readonly Ask[]): Promise<void> {
  const after = /^F1[67]/.test(cell.row.label) ? 0 : 1;
  for (const ask of asks) {
    await armCell(cell, { operation: ask.operation, times: 1, after });
    await runAsks(stage, cell, [ask]);
  }
}

function armCell(cell: Cell, members: Readonly<Record<string, unknown>>): Promise<void> {
  return cell.service.arm({ ...cell.row.fault, ...members }, labelOf(cell));
}

/** Starts all at once and waits until they have ended. */
async function runAsks({ world, say }: MatrixStage, cell: Cell, asks: readonly Ask[]): Promise<void> {
  const { lateMs = 0 } = cell.row;
  const { client, flows } = world;
  const started = await Promise.all(asks.map((ask) => flows.start({ ...ask, label: labelOf(cell), lateMs })));
  if (await flows.ended(started, CELL_WITHIN_MS)) return;
  for (const flow of started.filter(({ end }) => end === undefined)) {
    say(`not ended: ${await describeFlow(client, flow)}`);
  }
}

function labelOf({ row, where }: Cell): string {
  return `${row.label} (${where})`;
}
