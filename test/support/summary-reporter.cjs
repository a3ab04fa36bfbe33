/**
 * Ends the run with the line `N passed, N failed` after everything that jest prints itself. Before it comes a line for each
 * failure, so that the end of a long log says what failed.
 */
const fs = require('node:fs');
const path = require('node:path');
const util = require('node:util');

module.exports = class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const lines = results.testResults.flatMap(failuresOf).map((failure) => `failed: ${failure}\n`);
    const text = `${lines.join('')}${results.numPassedTests} passed, ${failed} failed\n`;
    process.on('exit', () => fs.writeSync(1, text));
  }
};

function failuresOf({ testFilePath, testExecError, testResults }) {
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages[0])}`);
  // An error in `afterAll` has only a stack.
  if (testExecError) failures.push(firstLine(testExecError.message || testExecError.stack));
  const file = path.relative(process.cwd(), testFilePath);
  return failures.map((failure) => `${file}: ${failure}`);
}

function firstLine(text = '') {
  return util.stripVTControlCharacters(text).split('\n', 1)[0];
}
