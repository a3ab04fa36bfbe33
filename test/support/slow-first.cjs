/**
 * Files that take long, mostly by waiting, start first, so that none of them runs alone at the end. A fresh clone has no
 * timings of its own, and Jest would go by the size of the file.
 */
const Sequencer = require('@jest/test-sequencer').default;

const SLOW = [
  'flows/forgetful-ledger',
  'flows/false-events',
  'flows/counts',
  'cluster/node-killed',
  'e2e/servers-killed',
  'e2e/worker-killed',
  'soak/soak',
  'e2e/demo',
  'soak/portfolio',
  'activities/resolve-unknown',
  'e2e/bridge-killed',
  'flows/refresh-portfolio',
  'flows/sharing',
  'e2e/slow-calls-killed',
  'flows/rate-limit',
  'flows/poll-errors',
  'flows/refresh-case',
  'flows/held-account',
  'soak/defects',
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
