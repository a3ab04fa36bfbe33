/** The doors alone: an `index.ts` exports no type that nothing outside imports. */
'use strict';
const config = require('./knip.config.js');

module.exports = {
  ...config,
  ignoreExportsUsedInFile: false,
  ignoreIssues: { '{src,sandbox,soak,bench,model,test}/**/!(index).ts': ['types'] },
};
