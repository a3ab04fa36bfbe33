/**
 * The fault matrix: every fault × every charged operation × {call, later page, 202, poll}. Each operation has a lane in which
 * its cells follow each other; lanes run side by side. A cell arms as many faults as it starts flows and waits for their end,
 * so that every flow meets exactly the fault that it is counted under.
 */
import type { OperationId } from '../../src/contract/index.js';
import { operationOf } from '../../src/contract/index.js';
import { PAGED } from './arguments.js';
import { FAULT_ROWS, type FaultRow, type Where } from './faults.js';
import { describeFlow, type FlowRecord } from './flows.js';
import type { Service } from './service.js';
import type { World } from './world.js';

/** A flow that has not ended by then is reported as undecided. */
const CELL_WITHIN_MS = 150_000;
/** The legacy search has a limit of its own: 30 a minute. */
const RARE: readonly OperationId[] = ['searchLegacy'];
/** A file may drip for ten minutes before it is given up. */
const LONG: readonly OperationId[] = ['getElectoralEditionPdf'];
const BIG_LABEL = 'F13';

export interface Cell {
  readonly row: FaultRow;
  readonly where: Where;
  readonly service: Service;
  /** Several where the fault is on their common poll. */
  readonly operations: readonly OperationId[];
  /** Flows of each operation. */
  readonly count: number;
}

/** Which fault of which sandbox was armed for which row. */
export type Armed = readonly {
  readonly service: Service;
  readonly id: number;
  readonly row: FaultRow;
  readonly where: Where;
}[];

export interface MatrixPlan {
  readonly lanes: readonly (readonly Cell[])[];
  readonly polls: readonly Cell[];
  /** Calls that meet a fault. */
  readonly calls: number;
}

export function planMatrix(
  world: World,
  wanted: {
    readonly calls: number;
    readonly slow: number;
    readonly operations: readonly string[];
    readonly faults: readonly string[];
  },
): MatrixPlan {
  const operations = world.operations.filter((id) => wanted.operations.length === 0 || wanted.operations.includes(id));
  const rows = FAULT_ROWS.filter(
    ({ label, trap }) =>
      trap === true || wanted.faults.length === 0 || wanted.faults.includes(label.split(' ')[0] ?? ''),
  );
  const { default: now, pending: later } = world.services;
  const lane = (service: Service, operation: OperationId, wheres: readonly Where[], repeats: number): Cell[] =>
    wheres.flatMap((where) =>
      rows
        .filter((row) => row.where.includes(where))
        .map((row) => ({
          row,
          where,
          service,
          operations: [operation],
          count: countOf(row, operation, repeats, wanted.slow),
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

function countOf(row: FaultRow, operation: OperationId, repeats: number, slow: number): number {
  if (row.trap === true) return 1;
  if (row.slow === true) return row.label.startsWith('F8') && LONG.includes(operation) ? 0 : slow;
  return RARE.includes(operation) || row.label.startsWith(BIG_LABEL) ? 1 : repeats;
}

/** Lays in all calls that the plan will take. */
export async function stockMatrix({ stock }: World, { lanes, polls }: MatrixPlan): Promise<void> {
  const wanted = new Map<string, Parameters<World['stock']['lay']>[0]>();
  for (const { row, where, service, operations, count } of [...lanes.flat(), ...polls]) {
    if (row.trap === true) continue;
    for (const operation of operations) {
      const place = where === 'page' ? 'page' : 'first';
      const key = `${service.name} ${operation} ${place}`;
      wanted.set(key, { service, operation, place, count: (wanted.get(key)?.count ?? 0) + count });
    }
  }
  await Promise.all([...wanted.values()].map((order) => stock.lay(order)));
}

export async function runMatrix(world: World, plan: MatrixPlan): Promise<Armed> {
  const armed: Armed[number][] = [];
  const arm = async ({ service, row, where }: Cell, members: Readonly<Record<string, unknown>>): Promise<void> => {
    armed.push({ service, row, where, id: await service.arm({ ...row.fault, ...members }) });
  };
  const total = [...plan.lanes.flat(), ...plan.polls].length;
  let cells = 0;
  const say = (): void => {
    cells += 1;
    if (cells % 50 === 0 || cells === total) world.say(`matrix: ${cells} of ${total} cells`);
  };
  await Promise.all(
    plan.lanes.map(async (lane) => {
      for (const cell of lane) {
        await runCell(world, cell, arm);
        say();
      }
    }),
  );
  for (const cell of plan.polls) {
    await runCell(world, cell, arm);
    say();
  }
  return armed;
}

type Arm = (cell: Cell, members: Readonly<Record<string, unknown>>) => Promise<void>;

async function runCell(world: World, cell: Cell, arm: Arm): Promise<void> {
  const { row, where, service, operations, count } = cell;
  const [operation] = operations;
  if (row.trap === true) {
    await arm(cell, { operation, times: 1_000_000 });
    return;
  }
  if (where === 'page') return runPages(world, cell, arm);
  await arm(cell, { operation: where === 'poll' ? 'getRequest' : operation, times: count * operations.length });
  const starts = operations.flatMap((each) =>
    Array.from({ length: count }, () => startOne(world, cell, world.stock.take(service, each, 'first'))),
  );
  await untilEnded(world, cell, await Promise.all(starts));
}

/** One after the other: the first page passes, the second meets the fault. Links are changed where they stand: on the first. */
async function runPages(world: World, cell: Cell, arm: Arm): Promise<void> {
  const { row, service, operations, count } = cell;
  const [operation = 'getCase'] = operations;
  const after = /^F1[67]/.test(row.label) ? 0 : 1;
  for (let left = count; left > 0; left -= 1) {
    await arm(cell, { operation, times: 1, after });
    await untilEnded(world, cell, [await startOne(world, cell, world.stock.take(service, operation, 'page'))]);
  }
}

async function untilEnded(world: World, { row, where }: Cell, started: readonly FlowRecord[]): Promise<void> {
  if (await world.flows.ended(started, CELL_WITHIN_MS)) return;
  for (const flow of started.filter(({ end }) => end === undefined)) {
    world.say(`${row.label} (${where}): not ended: ${await describeFlow(world.client, flow)}`);
  }
}

function startOne(
  world: World,
  { row, where }: Cell,
  ask: Parameters<World['flows']['start']>[0],
): Promise<FlowRecord> {
  const { label, lateMs } = row;
  return world.flows.start(ask, { label: `${label} (${where})`, ...(lateMs === undefined ? {} : { lateMs }) });
}
