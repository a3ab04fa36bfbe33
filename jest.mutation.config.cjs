/** What `npm run mutation` runs for every mutant: tests that need nothing but the code, and few seconds. */
const { projects } = require('./jest.config.cjs');

const pure = projects.find(({ displayName }) => displayName === 'pure');

module.exports = {
  ...pure,
  displayName: 'mutation',
  testMatch: [...pure.testMatch, '<rootDir>/test/http/judge.test.ts'],
  // They take long and are about other files, or (the model) are a proof of their own.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...['model', 'bridge-mutations', 'bridge-parts', 'details', 'inputs', 'read-inputs', 'worker-figures'].map(
      (name) => `<rootDir>/test/pure/${name}.test.ts`,
    ),
  ],
};
