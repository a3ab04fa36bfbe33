/** Ends the run with the plain line `N passed, N failed`, after everything that jest prints itself. */
const fs = require('node:fs');

module.exports = class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const line = `${results.numPassedTests} passed, ${failed} failed\n`;
    process.on('exit', () => fs.writeSync(1, line));
  }
};
