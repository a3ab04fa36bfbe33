/** A whole run of the matrix: world, preparations, calls with and without faults; then the books are examined. */
import { commitOf } from '../../soak/commit.js';
import { examine } from './examine.js';
import type { FlowRecord } from './flows.js';
import { planMatrix, runMatrix, stockMatrix, type Armed } from './matrix.js';
import { CONTROL, type SoakFacts } from './report.js';
import type { Servers } from '../../soak/servers.js';
import type { SoakSettings } from './settings.js';
import { runUnreachable, stockUnreachable } from './unreachable.js';
import { createWorld, type World } from './world.js';

const END_WITHIN_MS = 240_000;
const CONTROLS_EACH = 2;

export async function runSoak(
  settings: SoakSettings,
  { temporalAddress, databaseUrl }: Pick<Servers, 'temporalAddress' | 'databaseUrl'>,
  { say, stopped }: { readonly say: (line: string) => void; readonly stopped: Promise<never> },
): Promise<SoakFacts> {
  const startedAtMs = Date.now();
  const timed = (line: string): void =>
    say(`${String(Math.round((Date.now() - startedAtMs) / 1_000)).padStart(5)} s  ${line}`);
  const world = await createWorld({ temporalAddress, databaseUrl, seed: settings.seed, say: timed });
  const soak = async (): Promise<SoakFacts> => {
    const plan = planMatrix(world, settings);
    const unreachable = settings.faults.length === 0 && settings.calls > 0 ? Math.ceil(settings.calls / 1_500) : 0;
    await Promise.all([
      stockMatrix(world, plan),
      ...[...Array.from({ length: settings.workers }).keys()].map((n) => world.startWorker(`worker-${n}`)),
    ]);
    await stockUnreachable(world, unreachable);
    await stockControls(world);
    timed(`ready: ${plan.lanes.flat().length + plan.polls.length} cells, ${plan.calls} calls with a fault`);
    const person = world.startPerson();
    const controls = await runControls(world);
    const armed: Armed[number][] = [];
    if (settings.calls > 0) armed.push(...(await runMatrix(world, plan)));
    armed.push(...(await runUnreachable(world, unreachable)));
    timed(`waiting for ${open(world).length} flows`);
    await world.flows.ended([...controls, ...world.flows.all()], END_WITHIN_MS);
    await person.stop();
    const examined = await examine(world);
    return {
      ...{ seed: settings.seed, commit: commitOf(), flows: world.flows.all(), examined },
      ...(await firedOf(armed)),
      seconds: Math.round((Date.now() - startedAtMs) / 1_000),
    };
  };
  try {
    return await Promise.race([soak(), stopped]);
  } finally {
    await world.close();
  }
}

function open(world: World): readonly FlowRecord[] {
  return world.flows.all().filter(({ end }) => end === undefined);
}

async function stockControls({ stock, operations, services }: World): Promise<void> {
  for (const operation of operations) {
    await stock.lay({ service: services.default, operation, place: 'first', count: CONTROLS_EACH });
  }
}

async function runControls({ stock, operations, services, flows }: World): Promise<FlowRecord[]> {
  const starts = operations.flatMap((operation) =>
    Array.from({ length: CONTROLS_EACH }, () =>
      flows.start(stock.take(services.default, operation, 'first'), { label: CONTROL }),
    ),
  );
  const controls = await Promise.all(starts);
  await flows.ended(controls, END_WITHIN_MS);
  return controls;
}

async function firedOf(armed: Armed): Promise<Pick<SoakFacts, 'fired' | 'traps'>> {
  const fired = new Map<string, number>();
  const traps = new Set<string>();
  for (const service of new Set(armed.map((each) => each.service))) {
    const byId = new Map((await service.faults()).map((fault) => [fault.id, fault.fired]));
    for (const { id, row, where } of armed.filter((each) => each.service === service)) {
      const label = `${row.label} (${where})`;
      fired.set(label, (fired.get(label) ?? 0) + (byId.get(id) ?? 0));
      if (row.trap === true) traps.add(label);
    }
  }
  return { fired, traps };
}
