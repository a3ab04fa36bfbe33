/** The engines, in the order of the tables, and how to open each. */
import type { SandboxOptions } from '../../sandbox/index.js';
import type { Shutdown } from '../../src/local/index.js';
import type { Contender, Tries } from './contender.js';
import { openTramita } from './ours.js';
import { openPlain, type PlainEngine } from './plain.js';
import type { EngineServers } from './servers.js';

const PLAIN: readonly PlainEngine[] = [
  { name: 'Temporal', file: 'temporal', server: 'temporal' },
  { name: 'DBOS', file: 'dbos' },
  { name: 'Restate', file: 'restate', server: 'restate' },
  { name: 'pg-boss', file: 'pg-boss' },
  { name: 'BullMQ', file: 'bullmq', server: 'redis' },
];

export const ENGINES = ['tramita', ...PLAIN.map(({ file }) => file)] as const;

export function openContender(
  shutdown: Shutdown,
  servers: EngineServers,
  { engine, tries, sandbox }: { readonly engine: string; readonly tries: Tries; readonly sandbox: SandboxOptions },
): Promise<Contender> {
  if (engine === 'tramita') return openTramita(shutdown, servers, sandbox);
  const plain = PLAIN.find(({ file }) => file === engine);
  if (plain === undefined) throw new Error(`bench: no engine is called ${engine}; there are ${ENGINES.join(', ')}`);
  return openPlain(shutdown, servers, { engine: plain, tries, sandbox });
}

/** tramita has only one way: it sends a paid call once and finds out by evidence how it ended. */
export function triesOf(engine: string): readonly Tries[] {
  return engine === 'tramita' ? ['once'] : ['documented', 'once'];
}
