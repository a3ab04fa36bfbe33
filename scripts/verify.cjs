/**
 * `npm test`: types, and the tests without the long ones. `npm test -- --all`, which continuous integration runs: all
 * tests, and format, lint and structure (docs/decisions/0078). Other arguments are passed to jest. Stops at the first step
 * that fails. The last line of stdout is always `N passed, N failed`: jest's own count (test/support/summary-reporter.cjs),
 * or `0 passed, 1 failed` when another step failed or jest failed without counting.
 *
 * Tests wait more than they work, so the steps that only read the sources run beside them, one after another, at a low
 * priority. The parts of `dist/` that the tests run are compiled before them. `npm run structure` runs only the three steps
 * about circles and dead exports.
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
/** Steps that run beside the tests, in this order. */
const BESIDE = isAll ? [TYPES, FORMAT, LINT, CIRCLES, DEAD_EXPORTS, DOORS] : [TYPES];
/** Priority of these steps, as a `nice` value. */
const BESIDE_PRIORITY = 10;
/** Rungs that kill processes, install packages or soak; and files that take about a minute each. */
const LONG = [`/test/(${long.rungs.join('|')})/`, `/test/(${long.files.join('|')})\\.test\\.ts$`];
// Anyone who names tests gets exactly those.
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

/** npm skips `pretest` when it is told to ignore scripts, and `node scripts/verify.cjs` has no `pretest`. */
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

/** Prints both output streams of a tool that fails. */
async function report(step) {
  say(header(step));
  const child = start(step, ['ignore', 'pipe', 'pipe']);
  if (child.pid !== undefined) os.setPriority(child.pid, BESIDE_PRIORITY);
  const output = collect(child.stdout, child.stderr);
  const isGood = (await ended(child)) === 0;
  if (!isGood) say(output().trimEnd());
  return isGood;
}

/** jest's progress goes to stderr. Its stdout is collected, since the last line must be ours. Never rejects. */
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
  // jest keeps an existing NODE_ENV, and some libraries behave differently in production
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

/** Waits for jest, because its tests must stop their servers. A terminal sends Ctrl-C to jest as well. */
function passSignalsOn() {
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => running.forEach((child) => child.kill(signal)));
  }
}

/** Sets the exit code instead of exiting, so that all output is written and the tests stop their servers. */
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
