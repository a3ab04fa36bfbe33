/**
 * Prepares a fresh clone before every npm script: installs the packages when the lock file has changed, then brings `dist/`
 * up to date: the package, the sandbox, and the TypeScript projects given as arguments (soak, bench, tests). No
 * dependencies, and old syntax, so that an old Node can say what it lacks. Two at once are safe: one works, the other
 * waits. All output goes to stderr; stdout belongs to the command.
 */
'use strict';
var fs = require('fs');
var path = require('path');
var crypto = require('crypto');
var childProcess = require('child_process');

/** Must equal `engines` in package.json. require() of ES modules without a flag came with 20.19. */
var OLDEST_NODE = [20, 20];
var POLL_EVERY_MS = 500;

/** When a lock without a readable pid counts as stale: its writer died between creating and writing it. */
var UNREADABLE_LOCK_STALE_MS = 10000;

var root = path.resolve(__dirname, '..');
var modules = path.join(root, 'node_modules');
var stampFile = path.join(modules, '.bootstrap-lock-sha256');
var lockFile = path.join(root, '.tramita', 'bootstrap.lock');

function main() {
  refuseOldNode();
  takeLock();
  process.on('exit', releaseLock);
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
    process.on(signal, function () {
      process.exit(1);
    });
  });
  if (!isInstalled()) install();
  build();
}

function refuseOldNode() {
  var seen = process.versions.node.split('.').map(Number);
  if (seen[0] > OLDEST_NODE[0] || (seen[0] === OLDEST_NODE[0] && seen[1] >= OLDEST_NODE[1])) return;
  fail(
    'Node ' +
      process.versions.node +
      ' is too old; install Node ' +
      OLDEST_NODE.join('.') +
      ' or newer (https://nodejs.org)',
  );
}

/** Compares content, not times: a git checkout changes times. */
function isInstalled() {
  var installed = read(path.join(modules, '.package-lock.json'));
  if (installed === '') return false;
  if (read(stampFile) === lockHash()) return true;
  if (!isSameTree(installed)) return false;
  fs.writeFileSync(stampFile, lockHash());
  return true;
}

/** True when somebody ran npm by hand and npm has installed what the lock file asks for. */
function isSameTree(installedText) {
  var wanted = JSON.parse(read(path.join(root, 'package-lock.json'))).packages;
  var installed = JSON.parse(installedText).packages;
  return Object.keys(wanted).every(function (place) {
    if (place === '') return true;
    var here = installed[place];
    // npm leaves out optional packages for other platforms
    if (here === undefined) return wanted[place].optional === true || wanted[place].devOptional === true;
    return here.version === wanted[place].version && here.integrity === wanted[place].integrity;
  });
}

function install() {
  say('installing packages (about half a minute, once per lock file)');
  var npm = npmCommand();
  var args = npm.args.concat(['ci', '--include=dev', '--no-audit', '--no-fund']);
  var result = childProcess.spawnSync(npm.command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: cleanEnvironment(),
  });
  if (result.error) fail('npm cannot be run (' + result.error.message + '); install npm, or run `npm ci` yourself');
  if (result.status !== 0) fail('`npm ci` failed; its message is above', result.status);
  fs.writeFileSync(stampFile, lockHash());
}

/** The npm that runs this script, or else the one on PATH. */
function npmCommand() {
  var running = process.env.npm_execpath;
  if (running && /npm-cli\.c?js$/.test(running)) return { command: process.execPath, args: [running] };
  return { command: 'npm', args: [] };
}

/** Without the variables that npm sets for its scripts: a nested npm would read them as its own settings. */
function cleanEnvironment() {
  var env = {};
  Object.keys(process.env).forEach(function (name) {
    if (!/^npm_(lifecycle|package|command|config_local_prefix)/.test(name)) env[name] = process.env[name];
  });
  return env;
}

/** Always runs: `tsc --build` finds out what has changed (0.5 s when nothing has). */
function build() {
  var tsc = path.join(modules, 'typescript', 'bin', 'tsc');
  var projects = ['tsconfig.sandbox.json', 'tsconfig.node.json'].concat(process.argv.slice(2));
  if (!fs.existsSync(path.join(root, 'dist'))) say('compiling (a few seconds, once)');
  var result = childProcess.spawnSync(process.execPath, [tsc, '--build'].concat(projects), {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) fail('the TypeScript sources do not compile; the errors are above', result.status || 1);
}

function takeLock() {
  var hasSaid = false;
  fs.mkdirSync(path.dirname(lockFile), { recursive: true });
  while (!createLock()) {
    if (removeIfLeftBehind()) continue;
    if (!hasSaid) say('waiting for another installation (process ' + (read(lockFile).split(' ')[0] || 'unknown') + ')');
    hasSaid = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_EVERY_MS);
  }
}

/** One process at a time: of two that saw a stale lock, the second would otherwise remove the first one's new lock. */
function removeIfLeftBehind() {
  var gate = lockFile + '.takeover';
  try {
    fs.mkdirSync(gate);
  } catch {
    if (isOlderThan(gate, UNREADABLE_LOCK_STALE_MS)) remove(gate, fs.rmdirSync);
    return false;
  }
  var isLeft = isLockLeftBehind();
  if (isLeft) remove(lockFile, fs.unlinkSync);
  remove(gate, fs.rmdirSync);
  return isLeft;
}

function createLock() {
  try {
    fs.writeFileSync(lockFile, process.pid + ' ' + startMark(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    return fail('the lock file ' + lockFile + ' cannot be made (' + error.message + '); make its folder writable');
  }
}

function isLockLeftBehind() {
  var parts = read(lockFile).split(' ');
  var pid = Number(parts[0]);
  if (!pid) return isOlderThan(lockFile, UNREADABLE_LOCK_STALE_MS);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
  return startMark(pid) !== parts[1];
}

/** Start time of a process in ticks since boot (proc(5), field 22), so that a reused pid is not taken for the holder; `-` elsewhere. */
function startMark(pid) {
  var stat = read('/proc/' + pid + '/stat');
  return stat === '' ? '-' : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function releaseLock() {
  if (Number(read(lockFile).split(' ')[0]) === process.pid) remove(lockFile, fs.unlinkSync);
}

function isOlderThan(file, milliseconds) {
  var stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > milliseconds;
}

function lockHash() {
  return crypto
    .createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function remove(file, how) {
  try {
    how(file);
  } catch {
    // already gone
  }
}

function say(text) {
  process.stderr.write('tramita: ' + text + '\n');
}

function fail(text, status) {
  say(text);
  process.exit(status || 1);
}

main();
