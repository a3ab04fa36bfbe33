/**
 * Runs the compiled command line in this process, with the given arguments: `node scripts/run-cli.cjs demo --keep`. Because
 * it is the same process, Ctrl-C, exit codes and the terminal are the command's own. package.json runs it with `exec`: npm
 * passes SIGTERM to its shell, which would otherwise end and leave the command running.
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
