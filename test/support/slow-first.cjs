/**
 * Slow files, which mostly wait, start first, so that none of them runs alone at the end. A fresh clone has no timings of its
 * own, and Jest would sort by file size.
 */
const Sequencer = require('@jest/test-sequencer').default;

const SLOW = [
  'flows/false-events',
  'flows/counts',
  'flows/forgetful-ledger',
  'flows/quiet-minute',
  'e2e/servers-killed',
  'e2e/subject-erased',
  'e2e/worker-killed',
  'e2e/demo',
  'soak/soak',
  'cluster/compose',
  'flows/key-rotation',
  'e2e/slow-calls-killed',
  'cluster/tls',
  'flows/plan',
  'cli/replay',
  'package/client-package',
  'flows/nexus',
  'e2e/bridge-killed',
  'flows/sharing',
  'activities/resolve-unknown',
  'package/exports',
  'soak/portfolio',
  'flows/files-elsewhere',
  'sandbox/charges-walk',
  'soak/defects',
  'flows/traces',
  'soak/canary',
  'flows/refresh-case',
  'flows/versions',
  'flows/restarts',
  'flows/collect-pages',
  'flows/poll-errors',
  'e2e/subject-files-erased',
  'flows/bad-input',
  'flows/refresh-portfolio',
  'flows/database-away',
  'cluster/node-killed',
  'flows/rate-limit',
  'flows/held-account',
  'flows/portfolio-priority',
].map((name) => `/test/${name}.test.ts`);

module.exports = class SlowFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = SLOW.findIndex((name) => path.replaceAll('\\', '/').endsWith(name));
      return at === -1 ? SLOW.length : at;
    };
    return [...super.sort(tests)].sort((left, right) => place(left) - place(right));
  }
};
