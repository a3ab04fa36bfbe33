import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot, TEMPORAL_CLI_VERSION } from '../../src/local/index.js';
import {
  parseTemporalVersion,
  TEMPORAL_SERVER_VERSION,
  temporalVersionProblem,
} from '../../src/local/temporal/temporal-version.js';

describe('the version of a Temporal tool', () => {
  it.each([
    ['temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)', '1.8.2', undefined],
    ['temporal version 1.3.0 (Server 1.27.1, UI 2.36.0)\n', '1.3.0', undefined],
    ['temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)', '2.0.0', undefined],
    [
      'temporal version 1.5.2-standalone-activity-server (Server 1.30.0)',
      '1.5.2-standalone-activity-server',
      undefined,
    ],
    ['temporal version 1.2.9 (Server 1.26.0, UI 2.30.0)', '1.2.9', 'is 1.2.9, older than 1.3'],
    ['temporal version 0.13.1 (server 1.25.0)', '0.13.1', 'is 0.13.1, older than 1.3'],
    ['temporal version 0.0.0-DEV (Server 1.31.2)', '0.0.0-DEV', 'is 0.0.0-DEV, older than 1.3'],
    ['some other program 1.9', undefined, undefined],
    ['', undefined, undefined],
  ])('is read from %j as %s, with the problem: %s', (output, text, problem) => {
    const version = parseTemporalVersion(output);
    expect(version?.text).toBe(text);
    expect(version && temporalVersionProblem(version)).toBe(problem);
  });

  it('is pinned in the code as in tools/temporal/go.mod', () => {
    const goMod = readFileSync(join(packageRoot(), 'tools', 'temporal', 'go.mod'), 'utf8');
    expect(goMod).toContain(`github.com/temporalio/cli v${TEMPORAL_CLI_VERSION}\n`);
    expect(goMod).toContain(`go.temporal.io/server v${TEMPORAL_SERVER_VERSION}\n`);
  });
});
