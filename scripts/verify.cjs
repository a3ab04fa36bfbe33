/**
 * `npm test`: types, and the tests without the long ones. `npm test -- --all`, which continuous integration runs: all tests, and
 * format, lint and structure (docs/decisions/0078). Other arguments go on to jest. Stops at the first step that fails. The last
 * line of stdout is always `N passed, N failed`: jest's own count (test/support/summary-reporter.cjs), or `0 passed, 1 failed`
 * when another step failed or jest failed without counting.
 *
 * Tests wait more than they work, so what reads the sources runs beside them, one step after the other, with what is left of
 * the processors. What the tests run of `dist/` is compiled before them. `npm run structure` runs the three steps about circles
 * and dead exports alone.
 */
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const long = require('../test/support/long.json');

const root = path.resolve(__dirname, '..');
const COUNT = /^\d+ passed, \d+ failed$/;

const tool = (...parts) => path.join(root, 'node_modules', ...parts);
const FORMAT = { title: 'format', args: [tool('prettier', 'bin', 'prettier.cjs'), '--check', '.'] };
const LINT = { title: 'lint', args: [tool('eslint', 'bin', 'eslint.js'), '--max-warnings', '0', '.'] };
const TYPES = { title: 'types', args: [tool('typescript', 'bin', 'tsc'), '--build', 'tsconfig.json'] };
const KNIP = tool('knip', 'bin', 'knip.js');
const CIRCLES = {
  title: 'circles',
  args: [
    tool('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    'src',
    'sandbox',
    'soak',
    'bench',
    'model',
    'observability',
  ],
};
const DEAD_EXPORTS = { title: 'dead exports', args: [KNIP] };
const DOORS = { title: 'doors', args: [KNIP, '--config', 'knip.doors.config.js', '--include', 'types'] };
const given = process.argv.slice(2);
const isAll = given.includes('--all');
/** Beside the tests, in this order. */
const BESIDE = isAll ? [TYPES, FORMAT, LINT, CIRCLES, DEAD_EXPORTS, DOORS] : [TYPES];
/** As `nice` counts. */
const BESIDE_PRIORITY = 10;
/** Rungs that kill processes, install packages or soak; and files that take about a minute each. */
const LONG = [`/test/(${long.rungs.join('|')})/`, `/test/(${long.files.join('|')})\\.test\\.ts$`];
// Who names tests gets those.
const left = given.length === 0 ? ['--testPathIgnorePatterns', ...LONG] : [];
const ofJest = given.filter((argument) => argument !== '--all');
const TESTS = { title: 'tests', args: [tool('jest', 'bin', 'jest.js'), '--ci', ...left, ...ofJest] };

const running = new Set();

async function main() {
  bootstrapWhereNpmDidNot();
  passSignalsOn();
  say(header(TESTS));
  const tests = runTests();
  for (const step of BESIDE) {
    if (!(await report(step))) return end(1, '0 passed, 1 failed');
  }
  const { status, output } = await tests;
  if (output !== '') say(output);
  if (COUNT.test(output.split('\n').at(-1))) return end(status);
  return end(status, status === 0 ? '0 passed, 0 failed' : '0 passed, 1 failed');
}

/** npm leaves `pretest` out when it is told to ignore scripts, and `node scripts/verify.cjs` has none. */
function bootstrapWhereNpmDidNot() {
  const { npm_lifecycle_event: event, npm_config_ignore_scripts: ignored } = process.env;
  if (event === 'test' && ignored !== 'true') return;
  const bootstrap = path.join(__dirname, 'bootstrap.cjs');
  const { status } = spawnSync(process.execPath, [bootstrap, 'tsconfig.soak.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) return;
  say('0 passed, 1 failed');
  process.exit(status ?? 1);
}

/** Shows what the tool said on both streams where it is not content. */
async function report(step) {
  say(header(step));
  const child = start(step, ['ignore', 'pipe', 'pipe']);
  if (child.pid !== undefined) os.setPriority(child.pid, BESIDE_PRIORITY);
  const output = collect(child.stdout, child.stderr);
  const isGood = (await ended(child)) === 0;
  if (!isGood) say(output().trimEnd());
  return isGood;
}

/** What jest shows while it works goes to stderr; its stdout is kept, since its last line is ours. Never rejects. */
async function runTests() {
  const child = start(TESTS, ['ignore', 'pipe', 'inherit']);
  const output = collect(child.stdout);
  const status = await ended(child);
  return { status, output: output().trimEnd() };
}

function collect(...streams) {
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8');
    stream.on('data', (data) => {
      text += data;
    });
  }
  return () => text;
}

function start(step, stdio) {
  // jest takes NODE_ENV as it finds it, and a library that believes it is in production is another one
  const child = spawn(process.execPath, step.args, { cwd: root, stdio, env: { ...process.env, NODE_ENV: 'test' } });
  running.add(child);
  return child;
}

function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`tramita: ${error.message}\n`);
      running.delete(child);
      resolve(1);
    });
    child.once('close', (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

/** The tests have servers to stop: no exit before jest's. A terminal sends Ctrl-C to jest by itself. */
function passSignalsOn() {
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => running.forEach((child) => child.kill(signal)));
  }
}

/** Ends when everything written has been taken, and the tests have stopped their servers. */
function end(status, line) {
  running.forEach((child) => child.kill());
  if (line !== undefined) say(line);
  process.exitCode = status;
}

function header({ title }) {
  return `== ${title}`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

void main();
