/** What `npm run mutation` runs for every mutant: tests that need nothing but the code, and few seconds. */
const { projects } = require('./jest.config.cjs');

const pure = projects.find(({ displayName }) => displayName === 'pure');

module.exports = {
  ...pure,
  displayName: 'mutation',
  testMatch: [...pure.testMatch, '<rootDir>/test/http/judge.test.ts'],
  // Minutes of exploring for every mutant: `npm run model` is a proof of its own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/pure/model.test.ts'],
};
