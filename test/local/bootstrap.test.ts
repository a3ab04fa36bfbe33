import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, waitUntil } from '../../src/local/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';

jest.setTimeout(180_000);

const LOCK = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/mac': { version: '1.0.0', optional: true },
  },
};
const INSTALLED = { packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } } };

/** A clone with the real script, an npm that makes a tiny node_modules, and a compiler that notes its arguments. */
function clone() {
  const root = temporaryFolder('clone');
  cpSync(join(packageRoot(), 'scripts'), join(root, 'scripts'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK));
  const npm = join(root, 'fake', 'npm-cli.js');
  mkdirSync(join(root, 'fake'));
  writeFileSync(
    npm,
    `const fs = require('fs'), path = require('path');
     fs.appendFileSync(path.join(${JSON.stringify(root)}, 'installs'), process.argv.slice(2).join(' ') + ' NODE_ENV=' + process.env.NODE_ENV + ' lifecycle=' + process.env.npm_lifecycle_event + '\\n');
     if (fs.existsSync(path.join(${JSON.stringify(root)}, 'npm-fails'))) process.exit(7);
     while (fs.existsSync(path.join(${JSON.stringify(root)}, 'npm-holds')));
     fs.rmSync('node_modules', { recursive: true, force: true });
     fs.mkdirSync('node_modules/typescript/bin', { recursive: true });
     fs.writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify(INSTALLED))});
     fs.writeFileSync('node_modules/typescript/bin/tsc', "require('fs').appendFileSync('builds', process.argv.slice(2).join(' ') + '\\\\n'); process.exit(require('fs').existsSync('types-wrong') ? 2 : 0)");`,
  );
  const linesOf = (file: string): string[] =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').trim().split('\n') : [];
  const env = { PATH: process.env['PATH'], NODE_ENV: 'production', npm_execpath: npm, npm_lifecycle_event: 'predemo' };
  return { root, env, installs: () => linesOf('installs'), builds: () => linesOf('builds') };
}

function run(root: string, env: NodeJS.ProcessEnv, script = 'scripts/bootstrap.cjs', args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd: root, env });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  return { child, output, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) };
}

describe('a fresh clone', () => {
  it('is compiled together with the extra projects that a command needs', async () => {
    const { root, env, builds } = clone();
    expect(await run(root, env, undefined, ['tsconfig.soak.json', 'bench']).ended).toBe(0);
    expect(builds()).toEqual(['--build tsconfig.sandbox.json tsconfig.node.json tsconfig.soak.json bench']);
  });

  const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const compiled = Object.entries(scripts).filter(([, command]) => /^node dist\/(soak|bench)\//.test(command));
  it.each(compiled)('compiles what `npm run %s` runs, in a pre-script', (name, command) => {
    const project = command.startsWith('node dist/soak/') ? 'tsconfig.soak.json' : 'bench';
    expect(scripts[`pre${name}`]).toBe(`node scripts/bootstrap.cjs ${project}`);
  });

  it('is installed with development packages and compiled without tests, with nothing on stdout', async () => {
    const { root, env, installs, builds } = clone();
    const first = run(root, env);
    expect(await first.ended).toBe(0);
    expect(first.output.stdout).toBe('');
    expect(first.output.stderr).toContain('tramita: installing packages');
    expect(installs()).toEqual(['ci --include=dev --no-audit --no-fund NODE_ENV=production lifecycle=undefined']);
    expect(builds()).toEqual(['--build tsconfig.sandbox.json tsconfig.node.json']);
    expect(existsSync(join(root, '.tramita', 'bootstrap.lock'))).toBe(false);
  });

  it('is installed once and compiled each time, and installed again when the lock file changes', async () => {
    const { root, env, installs, builds } = clone();
    await run(root, env).ended;
    await run(root, env).ended;
    expect([installs().length, builds().length]).toEqual([1, 2]);
    writeFileSync(
      join(root, 'package-lock.json'),
      JSON.stringify({ ...LOCK, packages: { ...LOCK.packages, 'node_modules/b': { version: '2.0.0' } } }),
    );
    await run(root, env).ended;
    expect([installs().length, builds().length]).toEqual([2, 3]);
  });

  it('is installed again when node_modules is gone, but not after a person ran npm by hand', async () => {
    const { root, env, installs } = clone();
    await run(root, env).ended;
    rmSync(join(root, 'node_modules', '.bootstrap-lock-sha256'));
    await run(root, env).ended;
    expect(installs()).toHaveLength(1);
    const hash = createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex');
    expect(readFileSync(join(root, 'node_modules', '.bootstrap-lock-sha256'), 'utf8')).toBe(hash);
    rmSync(join(root, 'node_modules'), { recursive: true });
    await run(root, env).ended;
    expect(installs()).toHaveLength(2);
  });

  it('is installed once by two bootstraps at the same time: the second one waits and says so', async () => {
    const { root, env, installs, builds } = clone();
    writeFileSync(join(root, 'npm-holds'), '');
    const both = [run(root, env), run(root, env)];
    const waiters = (): unknown[] =>
      both.filter(({ output }) => /waiting for another installation \(process \d+\)/.test(output.stderr));
    await waitUntil({ what: 'one that waits', deadlineMs: 90_000, check: () => waiters().length === 1 });
    rmSync(join(root, 'npm-holds'));
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0]);
    expect([waiters().length, installs().length, builds().length]).toEqual([1, 1, 2]);
  });

  it('is installed despite the lock of a killed bootstrap', async () => {
    const { root, env, installs } = clone();
    writeFileSync(join(root, 'npm-holds'), '');
    const killed = run(root, env);
    await waitUntil({ what: 'the installation', deadlineMs: 90_000, check: () => installs().length === 1 });
    killed.child.kill('SIGKILL');
    rmSync(join(root, 'npm-holds'));
    await killed.ended;
    expect(existsSync(join(root, '.tramita', 'bootstrap.lock'))).toBe(true);
    expect(await run(root, env).ended).toBe(0);
  });

  it.each([
    ['npm-fails', 7, '`npm ci` failed; its message is above'],
    ['types-wrong', 2, 'the TypeScript sources do not compile; the errors are above'],
  ])(
    'on %s ends the bootstrap with exit code %i, says what failed, and leaves no lock',
    async (file, code, message) => {
      const { root, env } = clone();
      writeFileSync(join(root, file), '');
      const failed = run(root, env);
      expect(await failed.ended).toBe(code);
      expect(failed.output.stderr).toContain(`tramita: ${message}`);
      expect(existsSync(join(root, '.tramita', 'bootstrap.lock'))).toBe(false);
    },
  );
});

describe('scripts/run-cli.cjs', () => {
  it('says how to compile the command line when it is not compiled', async () => {
    const { root, env } = clone();
    const early = run(root, env, 'scripts/run-cli.cjs');
    expect(await early.ended).toBe(1);
    expect(early.output.stderr).toMatch(/^tramita: .*main\.js is missing; run `npm run build`/);
  });

  it('passes arguments to the compiled command line and returns its exit code', async () => {
    const { root, env } = clone();
    mkdirSync(join(root, 'dist', 'src', 'cli'), { recursive: true });
    writeFileSync(
      join(root, 'dist', 'src', 'cli', 'main.js'),
      'console.log(process.argv.slice(2).join()); process.exitCode = 3;',
    );
    const child = spawn(process.execPath, [join(root, 'scripts', 'run-cli.cjs'), 'demo', '--keep'], { env });
    let stdout = '';
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(3);
    expect(stdout).toBe('demo,--keep\n');
  });
});
