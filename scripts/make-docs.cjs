/**
 * `npm run docs`: builds the site in `dist/site`. VitePress and TypeDoc are 300 MB that nothing else needs, so `docs/site`
 * is a separate package, installed when its lock file has changed.
 */
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const site = path.resolve(__dirname, '..', 'docs', 'site');
const stamp = path.join(site, 'node_modules', '.lock-sha256');
const wanted = createHash('sha256')
  .update(fs.readFileSync(path.join(site, 'package-lock.json')))
  .digest('hex');
const installed = fs.existsSync(stamp) ? fs.readFileSync(stamp, 'utf8') : '';
if (installed !== wanted) {
  run('npm', ['ci', '--no-audit', '--no-fund']);
  fs.writeFileSync(stamp, wanted);
}
run(process.execPath, ['build.mjs']);
process.stdout.write(`the site is in ${path.relative(process.cwd(), path.join(site, '..', '..', 'dist', 'site'))}\n`);

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
