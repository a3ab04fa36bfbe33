/**
 * Runs the compiled command line in this process, with the arguments given: `node scripts/run-cli.cjs demo --keep`.
 * In the same process, so that Ctrl-C, exit codes and the terminal are the command's own. package.json runs it by `exec`: npm
 * passes SIGTERM on to its shell, which would end and leave the command behind.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const main = path.resolve(__dirname, '..', 'dist', 'src', 'cli', 'main.js');
if (!fs.existsSync(main)) {
  process.stderr.write(
    `tramita: ${main} is missing; run \`npm run build\`, or use \`npm run demo\`, which builds by itself\n`,
  );
  process.exit(1);
}
process.argv[1] = main;
require(main);
