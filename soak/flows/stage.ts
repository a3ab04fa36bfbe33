/**
 * What the proof is played on: a soak's world, whose sandbox is the service of the killed runs, a twin of the same seed for the
 * undisturbed ones, and a third for audits, which see everything that their account has. All of them answer after a while
 * and slowly, so that a kill may fall before the charge, between charge and first byte, and within the answer.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveConfig } from '../../src/config/index.js';
import { OPERATIONS, type Cnj, type Gaps, isCharged } from '../../src/contract/index.js';
import type { Shutdown } from '../../src/local/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { createPortfolios } from '../../src/records/index.js';
import { controlOf, startSandbox, type Charge, type Sandbox, type SandboxOptions } from '../../sandbox/index.js';
import { openWorld, type World } from '../world.js';
import type { Place } from './kinds.js';
import type { Side } from './types.js';

export interface Stage {
  readonly world: World;
  place(type: WorkflowType, side: Side): Place;
  /** The charge book of a side. */
  charges(side: Side): Promise<readonly Charge[]>;
}

const TWIN = 'twin';
const AUDITED = 'audited';
const SERVICE: SandboxOptions = { refreshMs: 1_000, pollAfterMs: 200, coverageMs: 0, openingBalance: '1000000' };
const SLOW = [
  { fault: 'F7', ms: 300 },
  { fault: 'F8', everyMs: 10, bytes: 512 },
] as const;
const FILTERS: Gaps['filters'] = {
  searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais', party: 'parte' },
};

export async function openStage(shutdown: Shutdown): Promise<Stage> {
  const opened = await openWorld(shutdown, { sandbox: SERVICE });
  const limits = { legacyPerMinute: 0, perMinute: 0 };
  const start = async (name: string): Promise<Sandbox> => {
    const sandbox = await startSandbox({ ...SERVICE, rateLimits: limits, requestLogSize: 100_000 });
    shutdown.add({ name: `sandbox ${name}`, stop: () => sandbox.close() });
    return sandbox;
  };
  const twin = await start(TWIN);
  const audited = await start(AUDITED);
  const world = withAccounts(opened, { [TWIN]: twin.url, [AUDITED]: audited.url }, [
    twin.documentsUrl,
    audited.documentsUrl,
  ]);
  for (const { id } of OPERATIONS.filter((operation) => isCharged(operation, {}))) {
    for (const { controlUrl } of [world.sandbox, twin]) {
      for (const slow of SLOW) await controlOf(controlUrl)('/faults', { ...slow, operation: id, times: 1_000_000 });
    }
  }
  await foreignRadar(audited.url);
  const portfolios = createPortfolios({ db: world.db });
  const placeOf = (account: string, sandbox: Sandbox): Place => ({
    account,
    serviceUrl: sandbox.url,
    control: controlOf(sandbox.controlUrl),
    saveList: async (name, cases) => {
      await portfolios.saveList({ account, name, cases: cases as readonly Cnj[] });
    },
  });
  const places = {
    killed: placeOf('default', world.sandbox),
    undisturbed: placeOf(TWIN, twin),
    audited: placeOf(AUDITED, audited),
  };
  const atTwin = controlOf(twin.controlUrl);
  return {
    world,
    place: (type, side) => (type === 'auditMonitors' ? places.audited : places[side]),
    charges: async (side) => {
      if (side === 'killed') return world.charges();
      return (await atTwin<{ readonly charges: readonly Charge[] }>('/charges')).charges;
    },
  };
}

/** The world with further accounts, under the same key: each has a service of its own. */
function withAccounts(
  world: World,
  services: Readonly<Record<string, string>>,
  documentHosts: readonly string[],
): World {
  const { env } = world;
  const given = env['TRAMITA_CONFIG'] ?? '';
  const file = join(dirname(given), 'flows.json');
  const limits = { outageAfter: 0, concurrency: 20, requestsPerMinute: 60_000 };
  const others = Object.fromEntries(
    Object.entries(services).map(([name, apiUrl]) => [name, { ...limits, apiUrl, apiKeyEnv: 'TRAMITA_API_KEY' }]),
  );
  writeFileSync(file, JSON.stringify({ accounts: { default: limits, ...others }, gaps: { filters: FILTERS } }));
  const hosts = [env['TRAMITA_DOWNLOAD_HOSTS'], ...documentHosts].join(',');
  const own = { ...env, TRAMITA_CONFIG: file, TRAMITA_DOWNLOAD_HOSTS: hosts };
  return { ...world, env: own, config: resolveConfig({ env: own }) };
}

/** Something that bills and that nobody here asked for. */
async function foreignRadar(serviceUrl: string): Promise<void> {
  await fetch(`${serviceUrl}/v1/monitoramentos/novos-processos`, {
    method: 'POST',
    headers: { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' },
    body: JSON.stringify({ termo: 'Foreign' }),
  });
}
