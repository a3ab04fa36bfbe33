/**
 * `node run-typescript.cjs <file.ts> …`: runs a TypeScript file in a process of its own, as jest would compile it, so
 * that tests with several processes do not depend on `dist/`.
 */
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');
require('../../support/js-means-ts.cjs');

Module._extensions['.ts'] = function (module, filename) {
  const { code } = transformSync(fs.readFileSync(filename, 'utf8'), {
    filename,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  module._compile(code, filename);
};

process.argv.splice(1, 1);
require(path.resolve(process.argv[1]));
