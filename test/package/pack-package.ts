/**
 * The package as a user gets it: packed by npm, unpacked into a consumer's `node_modules` beside its dependencies and peers
 * and nothing else, so that an import of a development package is found out. Both are links to this repository's.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const REPOSITORY = join(__dirname, '..', '..');

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | Readonly<Record<string, string | Readonly<Record<string, string>>>>>
  >;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export interface Consumer {
  readonly folder: string;
  /** The unpacked package. */
  readonly packageFolder: string;
  /** Paths inside the tarball, without the leading `package/`. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
  readonly remove: () => void;
}

export function packPackage(): Consumer {
  if (!existsSync(join(REPOSITORY, 'dist', 'src', 'index.js'))) {
    throw new Error('dist/ is missing: run `npm run build` (`npm test` does it before)');
  }
  const folder = mkdtempSync(join(tmpdir(), 'tramita-package-'));
  const packed = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [tarball] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const packageFolder = join(folder, 'node_modules', 'tramita');
  mkdirSync(packageFolder, { recursive: true });
  run('tar', ['-xzf', join(folder, tarball.filename), '-C', packageFolder, '--strip-components', '1']);
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, '@types/node': '' })) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
  return {
    folder,
    packageFolder,
    files: tarball.files.map(({ path }) => path),
    manifest,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program of Node in the consumer's folder; its stdout. Throws with everything it said when it fails. */
export function runNode(consumer: Consumer, args: readonly string[]): string {
  return run(process.execPath, args, consumer.folder);
}

/** Without what npm tells its scripts, and without settings like `ignore-scripts` or `dry-run` of whoever runs the tests. */
function npm(args: readonly string[]): string {
  const running = process.env['npm_execpath'] ?? '';
  return /npm-cli\.c?js$/.test(running) ? run(process.execPath, [running, ...args]) : run('npm', args);
}

function run(command: string, args: readonly string[], cwd = REPOSITORY): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_)/i.test(name)));
  const { stdout, stderr, status, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed (${error?.message ?? status})\n${stdout}${stderr}`);
}
