/** No import circles (types count), and no folders of a room that import each other, at any distance. */
'use strict';
module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-two-way-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    exclude: '/node_modules/',
    includeOnly: '^(src|sandbox|soak|bench|model|observability)/',
    tsConfig: { fileName: 'tsconfig.base.json' },
  },
};
