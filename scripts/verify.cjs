/**
 * `npm test`: formatting, lint, types, structure, then every automatic test; arguments go on to jest. Stops at the first step that
 * fails. The last line of stdout is always `N passed, N failed`: jest's own count (test/support/summary-reporter.cjs), or
 * `0 passed, 1 failed` when an earlier step failed or jest failed without counting.
 *
 * Lint takes longer than formatting and types together and keeps one core busy, so it runs beside them; what it says is
 * printed in its place. `npm run structure` runs the three steps about circles and dead exports alone.
 */
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const path = require('node:path');

const root = path.resolve(__dirname, '..');
const COUNT = /^\d+ passed, \d+ failed$/;

const tool = (...parts) => path.join(root, 'node_modules', ...parts);
const FORMAT = { title: 'format', args: [tool('prettier', 'bin', 'prettier.cjs'), '--check', '.'] };
const LINT = { title: 'lint', args: [tool('eslint', 'bin', 'eslint.js'), '--max-warnings', '0', '.'] };
const TYPES = { title: 'types', args: [tool('typescript', 'bin', 'tsc'), '--build', 'tsconfig.json'] };
const KNIP = tool('knip', 'bin', 'knip.js');
const CIRCLES = {
  title: 'circles',
  args: [tool('dependency-cruiser', 'bin', 'dependency-cruise.mjs'), 'src', 'sandbox', 'soak', 'bench', 'model'],
};
const DEAD_EXPORTS = { title: 'dead exports', args: [KNIP] };
const DOORS = { title: 'doors', args: [KNIP, '--config', 'knip.doors.config.js', '--include', 'types'] };
const TESTS = { title: 'tests', args: [tool('jest', 'bin', 'jest.js'), '--ci', ...process.argv.slice(2)] };

const running = new Set();
let isEnding = false;

async function main() {
  bootstrapWhereNpmDidNot();
  passSignalsOn();
  const lint = capture(LINT);
  const format = capture(FORMAT);
  const types = format.then(() => capture(TYPES));
  const circles = types.then(() => capture(CIRCLES));
  const deadExports = circles.then(() => capture(DEAD_EXPORTS));
  const doors = deadExports.then(() => capture(DOORS));
  for (const [step, result] of [
    [FORMAT, format],
    [LINT, lint],
    [TYPES, types],
    [CIRCLES, circles],
    [DEAD_EXPORTS, deadExports],
    [DOORS, doors],
  ]) {
    if (!(await report(step, result))) return end(1, '0 passed, 1 failed');
  }
  say(header(TESTS));
  const { status, lastLine } = await runTests();
  if (COUNT.test(lastLine)) return end(status);
  return end(status, status === 0 ? '0 passed, 0 failed' : '0 passed, 1 failed');
}

/** npm leaves `pretest` out when it is told to ignore scripts, and `node scripts/verify.cjs` has none. */
function bootstrapWhereNpmDidNot() {
  const { npm_lifecycle_event: event, npm_config_ignore_scripts: ignored } = process.env;
  if (event === 'test' && ignored !== 'true') return;
  const bootstrap = path.join(__dirname, 'bootstrap.cjs');
  const { status } = spawnSync(process.execPath, [bootstrap], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  say('0 passed, 1 failed');
  process.exit(status ?? 1);
}

/** Never rejects: what a tool said, on both streams, and whether it was content. */
function capture(step) {
  if (isEnding) return Promise.resolve({ isGood: false, output: '' });
  const child = start(step, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text) => {
      output += text;
    });
  }
  return ended(child).then((status) => ({ isGood: status === 0, output }));
}

async function report(step, result) {
  say(header(step));
  const { isGood, output } = await result;
  if (!isGood) process.stdout.write(output.endsWith('\n') ? output : `${output}\n`);
  return isGood;
}

/** What jest shows while it works goes to stderr; its stdout goes through us, so that we know its last line. */
async function runTests() {
  const child = start(TESTS, ['ignore', 'pipe', 'inherit']);
  let tail = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-1_000);
  });
  const status = await ended(child);
  if (tail !== '' && !tail.endsWith('\n')) say('');
  return { status, lastLine: tail.trimEnd().split('\n').at(-1) };
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

/** Ends when everything written has been taken; a lint that still runs is not waited for. */
function end(status, line) {
  isEnding = true;
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
