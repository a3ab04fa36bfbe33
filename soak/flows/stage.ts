/**
 * The environment of the proof: a soak's world with three services of the same seed: one for the killed runs, a twin for the
 * undisturbed ones, and one for audits, which see everything in their account. All of them answer slowly and with a delay, so
 * that a kill can hit before the charge, between charge and first byte, and during the answer.
 */
import type { SandboxOptions } from '../../sandbox/index.js';
import { OPERATIONS, isCharged, type Gaps } from '../../src/contract/index.js';
import type { Shutdown } from '../../src/local/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import type { Service } from '../service.js';
import { openWorld, type World } from '../world.js';
import { placeAt, type Place } from './kinds.js';
import type { Side } from './types.js';

export interface Stage {
  readonly world: World;
  /** The services of the two sides. */
  readonly services: Readonly<Record<Side, Service>>;
  place(type: WorkflowType, side: Side): Place;
}

const TWIN = 'twin';
const AUDITED = 'audited';
const SANDBOX: SandboxOptions = { refreshMs: 1_000, coverageMs: 0 };
const SLOW = [
  { fault: 'F7', ms: 300 },
  { fault: 'F8', everyMs: 10, bytes: 512 },
] as const;
const FILTERS: Gaps['filters'] = {
  searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais', party: 'parte' },
};

export async function openStage(shutdown: Shutdown): Promise<Stage> {
  const accounts = { [TWIN]: SANDBOX, [AUDITED]: SANDBOX };
  const world = await openWorld(shutdown, { sandbox: SANDBOX, accounts, filters: FILTERS });
  const { default: killed, [TWIN]: undisturbed, [AUDITED]: audited } = world.services;
  if (killed === undefined || undisturbed === undefined || audited === undefined) throw new Error('soak: no services');
  const services = { killed, undisturbed };
  for (const { id } of OPERATIONS.filter((operation) => isCharged(operation, {}))) {
    for (const service of Object.values(services)) {
      for (const slow of SLOW) await service.arm({ ...slow, operation: id, times: 1_000_000 });
    }
  }
  // A monitor that bills and that no flow has created.
  await audited.post('/v1/monitoramentos/novos-processos', { termo: 'Foreign' });
  return {
    world,
    services,
    place: (type, side) => placeAt(world, type === 'auditMonitors' ? audited : services[side]),
  };
}
