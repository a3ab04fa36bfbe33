/**
 * The package as a user gets it: packed by npm and unpacked into a consumer's `node_modules` beside its dependencies and peers
 * only, so that an import of a development package fails. Dependencies and peers are links into this repository.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const REPOSITORY = join(__dirname, '..', '..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<
    Record<string, string | Readonly<Record<string, string | Readonly<Record<string, string>>>>>
  >;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export interface Consumer {
  readonly folder: string;
  readonly tarball: string;
  /** The unpacked package. */
  readonly packageFolder: string;
  /** Paths inside the tarball, without the leading `package/`. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
  readonly remove: () => void;
}

/** Builds and packs `@tramita/client`. */
export function packClient(): Consumer {
  run(process.execPath, [join(REPOSITORY, 'scripts', 'make-client-package.cjs')]);
  return packPackage(join(REPOSITORY, 'dist', 'client-package'));
}

export function packPackage(source = REPOSITORY): Consumer {
  if (!existsSync(join(REPOSITORY, 'dist', 'src', 'index.js'))) {
    throw new Error('dist/ is missing: run `npm run build` (`npm test` does it before)');
  }
  const folder = mkdtempSync(join(tmpdir(), 'tramita-package-'));
  const packed = npm(['pack', source, '--ignore-scripts', '--json', '--pack-destination', folder]);
  const [tarball] = JSON.parse(packed) as [{ name: string; filename: string; files: { path: string }[] }];
  const file = join(folder, tarball.filename);
  const packageFolder = join(folder, 'node_modules', tarball.name);
  mkdirSync(packageFolder, { recursive: true });
  run('tar', ['-xzf', file, '-C', packageFolder, '--strip-components', '1']);
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, '@types/node': '' })) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
  return {
    folder,
    tarball: file,
    packageFolder,
    files: tarball.files.map(({ path }) => path),
    manifest,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a Node program in the consumer's folder and returns its stdout. Throws with its whole output when it fails. */
export function runNode(consumer: Consumer, args: readonly string[]): string {
  return run(process.execPath, args, consumer.folder);
}

/** Compiler errors of a consumer's project with every check on, except those in Temporal's declarations. */
export function typeErrors(consumer: Consumer, options: object, files: readonly string[]): readonly string[] {
  const strict = { target: 'es2022', strict: true, noEmit: true, skipLibCheck: false, types: ['node'] };
  const project = JSON.stringify({ compilerOptions: { ...strict, ...options }, files });
  writeFileSync(join(consumer.folder, 'tsconfig.json'), project);
  const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: consumer.folder,
    encoding: 'utf8',
  });
  if (status === null || (status !== 0 && !stdout.includes('error TS'))) throw new Error(`tsc failed: ${stdout}`);
  return stdout.split('\n').filter((line) => /error TS/.test(line) && !/^[^(]*node_modules\/@temporalio\//.test(line));
}

/** Runs npm without the variables it sets for scripts, so without settings of the caller such as `ignore-scripts`. */
function npm(args: readonly string[]): string {
  const [command, ...first] = npmCommand();
  return run(command, [...first, ...args]);
}

/** The npm that runs the tests, else the one on PATH. */
export function npmCommand(): readonly [string, ...string[]] {
  const running = process.env['npm_execpath'] ?? '';
  return /npm-cli\.c?js$/.test(running) ? [process.execPath, running] : ['npm'];
}

function run(command: string, args: readonly string[], cwd = REPOSITORY): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_)/i.test(name)));
  const { stdout, stderr, status, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed (${error?.message ?? status})\n${stdout}${stderr}`);
}
