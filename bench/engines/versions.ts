/** The versions that are measured, as installed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, TEMPORAL_CLI_VERSION } from '../../src/local/index.js';
import { findRedis } from './servers.js';
import { MODULES } from './settings.js';

const ROOT_MODULES = join(packageRoot(), 'node_modules');

export function versionsOf(engines: readonly string[]): string {
  const sdk = `@temporalio/worker ${versionIn(ROOT_MODULES, '@temporalio/worker')}`;
  const of: Readonly<Record<string, () => string>> = {
    temporal: () =>
      `Temporal: ${sdk}, development server of CLI ${TEMPORAL_CLI_VERSION} (SQLite, WAL, synchronous=NORMAL)`,
    dbos: () => `DBOS: @dbos-inc/dbos-sdk ${own('@dbos-inc/dbos-sdk')}`,
    restate: () =>
      `Restate: server ${own('@restatedev/restate-server')}, SDK ${own('@restatedev/restate-sdk')}, fsync on`,
    'pg-boss': () => `pg-boss ${own('pg-boss')}`,
    bullmq: () => `BullMQ ${own('bullmq')}, ${redisVersion()}, appendfsync always`,
  };
  return ['PostgreSQL with fsync', ...engines.flatMap((engine) => of[engine]?.() ?? [])].join(' · ');
}

function own(name: string): string {
  return versionIn(MODULES, name);
}

function versionIn(modules: string, name: string): string {
  const text = readFileSync(join(modules, name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function redisVersion(): string {
  const text = execFileSync(findRedis() ?? 'redis-server', ['--version'], { encoding: 'utf8' });
  return `Redis ${/v=(\S+)/.exec(text)?.[1] ?? '?'}`;
}
