/** The people beside a sweep, using public interfaces: one asks for cases while it runs, one decides what parks. */
import { startRefreshCase } from '../../src/starters/index.js';
import type { Flow } from '../flow-book.js';
import { startPerson, type Person } from '../person.js';
import type { World } from '../world.js';

export interface Asked {
  readonly workflowId: string;
  readonly runId: string;
}

/** One after another, each awaited. */
export async function askFor({ client, token, taskQueue }: World, cases: readonly string[]): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const cnj of cases) {
    const handle = await startRefreshCase({ client, taskQueue, token }, { cnj, webhook: false });
    await handle.result();
    const { workflowId, runId } = handle;
    asked.push({ workflowId, runId });
  }
  return asked;
}

/** Every refresh of one case, started by the sweep or by people, as one flow that may be charged once. */
export interface Refreshes {
  find(workflowId: string): Flow;
  readonly person: Person;
}

export function watchRefreshes(world: World): Refreshes {
  const flows = new Map<string, Flow>();
  const find = (workflowId: string): Flow => {
    const flow = flows.get(workflowId) ?? refreshOf(world, workflowId);
    flows.set(workflowId, flow);
    return flow;
  };
  return { find, person: startPerson({ ...world, flows: { find } }) };
}

function refreshOf({ service }: World, workflowId: string): Flow {
  const cnj = /\d{20}$/.exec(workflowId)?.[0] ?? '';
  return {
    workflowId,
    service,
    type: 'refreshCase',
    input: { cnj },
    abouts: [cnj],
    label: 'refresh',
    startedAtMs: 0,
    end: undefined,
    parked: [],
    decisions: [],
  };
}
