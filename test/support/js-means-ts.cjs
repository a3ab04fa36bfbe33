/**
 * Loaded first by global set-ups: jest compiles what they import, but resolves nothing there, so `./x.js` in a TypeScript
 * file has to be told to mean `./x.ts` (inside tests `moduleNameMapper` does that).
 */
'use strict';
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isOurs = request.startsWith('.') && request.endsWith('.js') && parent?.filename?.endsWith('.ts');
  return resolve.call(this, isOurs ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};
