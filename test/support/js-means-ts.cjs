/**
 * Loaded first by global set-ups. Jest compiles what they import but does not map its paths, so this makes `./x.js` in a
 * TypeScript file mean `./x.ts` (inside tests `moduleNameMapper` does that).
 */
'use strict';
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const isOurs = request.startsWith('.') && request.endsWith('.js') && parent?.filename?.endsWith('.ts');
  return resolve.call(this, isOurs ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};
