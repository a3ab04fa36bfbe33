/**
 * `npm run bench:engines`: installs the other engines here when the lock file has changed (about 450 MB, separate from what
 * tramita needs), and runs the bench on the Node that comes with them, so that every engine has the same: some of them need
 * a recent one.
 */
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const modules = path.join(__dirname, 'node_modules');
const stamp = path.join(modules, '.lock-sha256');
const wanted = createHash('sha256')
  .update(fs.readFileSync(path.join(__dirname, 'package-lock.json')))
  .digest('hex');
if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
  process.stderr.write('tramita: installing the other engines (once, about 450 MB)\n');
  // Without install scripts: none of them is needed, and one of them only counts installations.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: __dirname, stdio: ['ignore', 2, 2] });
  fs.writeFileSync(stamp, wanted);
}
const bundled = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
const main = path.join(__dirname, '..', '..', 'dist', 'bench', 'engines', 'main.js');
run(fs.existsSync(bundled) ? bundled : process.execPath, [main, ...process.argv.slice(2)], { stdio: 'inherit' });

function run(command, args, options) {
  const { status } = spawnSync(command, args, options);
  if (status !== 0) process.exit(status ?? 1);
}
