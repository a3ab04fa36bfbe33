/** An empty project in a folder of its own, as a developer starts it: npm installs into it, and programs run in it. */
import { execFile, type ExecFileException } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { npmCommand } from '../package/pack-package.js';

/** Limit for one installation or one program: far more than either takes, because other programs run beside it. */
const WITHIN_MS = 300_000;
/** What `du` counts: the blocks of the disk, not the bytes of the files. */
const BLOCK_BYTES = 512;
/** Dependencies of Temporal's packages with install scripts: npm warns about them, and they work without the scripts. */
const TEMPORAL_BRINGS = /^(protobufjs|@swc\/core|@temporalio\/.+)@/;
const NATIVE = /\.(node|so|dll|dylib|wasm|gyp)(\.\d+)*$/;

export interface Installation {
  readonly seconds: number;
  readonly megabytes: number;
  readonly packages: number;
  /** Warnings of npm, except those about settings of this machine and about install scripts of Temporal's dependencies. */
  readonly warnings: readonly string[];
  /** Files of native code, below `node_modules`. */
  readonly native: readonly string[];
}

export interface ProgramOutput {
  readonly text: string;
  readonly exitCode: number | null;
}

export interface FreshProject {
  readonly folder: string;
  /** Runs `npm install` with these tarballs, or names with versions. */
  install(what: readonly string[]): Promise<Installation>;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs a Node program to its end, in the project's folder or one below it. */
  node(
    args: readonly string[],
    options?: { readonly env?: Environment; readonly below?: string },
  ): Promise<ProgramOutput>;
  /** Errors of the project's own compiler, except those in Temporal's declarations. It also writes the compiled files. */
  compile(options: object): Promise<readonly string[]>;
  remove(): void;
}

export type Environment = Readonly<Record<string, string>>;

/** `cache`: the folder of npm's cache. */
export function freshProject(manifest: object, { cache }: { readonly cache: string }): FreshProject {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-fresh-'));
  const modules = join(folder, 'node_modules');
  const project: FreshProject = {
    folder,
    install: async (what) => {
      const startedMs = Date.now();
      const [command, ...first] = npmCommand();
      const output = await execute(command, [...first, 'install', '--cache', cache, ...what], folder);
      const seconds = (Date.now() - startedMs) / 1000;
      if (output.exitCode !== 0)
        throw new Error(`npm install ${what.join(' ')} failed (${output.exitCode}):\n${output.text}`);
      const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
      const blocks = files.reduce((sum, file) => sum + lstatSync(join(modules, file)).blocks, 0);
      return {
        seconds,
        megabytes: (blocks * BLOCK_BYTES) / 2 ** 20,
        packages: countPackages(modules),
        warnings: warningsIn(output.text),
        native: files.filter((file) => NATIVE.test(file)),
      };
    },
    write: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
    node: (args, { env = {}, below = '.' } = {}) => execute(process.execPath, args, join(folder, below), env),
    compile: async (options) => {
      const strict = { target: 'es2022', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
      const compilerOptions = { ...strict, types: ['node'], ...options };
      project.write({ 'tsconfig.json': JSON.stringify({ compilerOptions }) });
      const tsc = join(modules, 'typescript', 'bin', 'tsc');
      const { text, exitCode } = await project.node([tsc, '--pretty', 'false']);
      if (exitCode !== 0 && !text.includes('error TS')) throw new Error(`tsc failed:\n${text}`);
      const errors = text.split('\n').filter((line) => line.includes('error TS'));
      return errors.filter((line) => !/^[^(]*node_modules\/@temporalio\//.test(line));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  project.write({ 'package.json': JSON.stringify({ name: 'fresh', private: true, ...manifest }) });
  return project;
}

/** What a program needs to run and to reach the registry, and nothing else of the tests' environment. */
export function bareEnvironment(): Environment {
  const allowed =
    /^(PATH|HOME|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|npm_config_(registry|userconfig|globalconfig|cafile))$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      allowed.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

function execute(command: string, args: readonly string[], cwd: string, env: Environment = {}): Promise<ProgramOutput> {
  const options = { cwd, env: { ...bareEnvironment(), ...env }, timeout: WITHIN_MS, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}${whyEnded(error, child.exitCode)}`;
      resolve({ text, exitCode: child.exitCode });
    });
  });
}

/** Why a program ended that could not say so itself: an npm that is killed prints nothing. */
function whyEnded(error: ExecFileException | null, exitCode: number | null): string {
  if (error?.killed === true) return `ended, because it was not done within ${WITHIN_MS / 1000} s\n`;
  return error !== null && exitCode === null ? error.message : '';
}

function warningsIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => {
    const [, warning] = /^npm warn (.*)$/i.exec(line) ?? [];
    if (warning === undefined || /^Unknown (user|env|project|builtin) config /.test(warning)) return false;
    const [, script] = /^install-scripts(.*)$/.exec(warning) ?? [];
    if (script === undefined) return true;
    const [, name] = /^ +(\S+@\d\S*) \(/.exec(script) ?? [];
    return name !== undefined && !TEMPORAL_BRINGS.test(name);
  });
}

function countPackages(modules: string): number {
  const text = readFileSync(join(modules, '.package-lock.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { packages: object }).packages).length;
}
