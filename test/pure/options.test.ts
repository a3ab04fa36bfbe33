/** Options of calls in code, as plain JavaScript may give them: what is unknown or wrong is said before anything begins. */
import { startRefreshCase, type StarterDeps } from '../../src/starters/index.js';
import { createTestStack, startTestServers } from '../../src/testing/index.js';
import { checkNothingPaidTwice } from '../../src/testing/stack/check-options.js';

const CNJ = '1000001-51.2026.8.26.0100';
/** What the compiler would not let pass. */
const given = (value: unknown): never => value as never;

describe('options of a start', () => {
  const never = (): never => {
    throw new Error('something was asked of Temporal');
  };
  const deps: StarterDeps = {
    client: given({ workflow: { getHandle: never, start: never } }),
    ...{ taskQueue: 'tramita', token: () => 'token', masksCnj: () => false },
  };

  it.each([
    [{ once: 'k' }, 'options has an unknown member "once"; known members are workflowId, priorityKey, sweep, startRun'],
    [{ workflowID: 'w' }, 'options has an unknown member "workflowID"'],
    ['my-id', 'options must be one object; known members are workflowId, priorityKey, sweep, startRun; seen: "my-id"'],
    [null, 'options must be one object; .*; seen: null'],
    [{ priorityKey: 9 }, 'options.priorityKey must be a whole number from 1 \\(first\\) to 5; seen: 9'],
    [{ priorityKey: '1' }, 'options.priorityKey must be .*; seen: "1"'],
    [{ sweep: 'once' }, 'options.sweep must be an object; seen: "once"'],
    [{ startRun: {} }, 'options.startRun must be a function; seen: an object'],
  ])('%j is refused, and nothing is started', async (options, problem) => {
    await expect(startRefreshCase(deps, { cnj: CNJ }, given(options))).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(new RegExp(`^tramita: ${problem}.*Nothing was started$`)) as string,
    });
  });
});

describe('options of a stack', () => {
  const servers = { temporalAddress: '127.0.0.1:7233', databaseUrl: 'postgresql://u:p@127.0.0.1/postgres' };

  it.each([
    [
      { wroker: false },
      'options of createTestStack has an unknown member "wroker"; known members are servers, worker,',
    ],
    ['x', 'options of createTestStack must be one object'],
    [null, 'options of createTestStack must be one object; .*; seen: null'],
    [{ worker: 'false' }, 'options of createTestStack.worker must be true or false; seen: "false"'],
    [{ sandbox: null }, 'options of createTestStack.sandbox must be an object; seen: null'],
    [
      { settings: '/etc/tramita.json' },
      'options of createTestStack.settings must be an object; seen: a text of 17 characters',
    ],
    [{ onProgress: true }, 'options of createTestStack.onProgress must be a function; seen: true'],
    [
      { servers: { ...servers, database: '' } },
      'servers has an unknown member "database"; known members are temporalAddress, databaseUrl',
    ],
    [
      { servers: { temporalAddress: servers.temporalAddress } },
      'servers.databaseUrl is missing; expected the address of a PostgreSQL',
    ],
    [
      { servers: { ...servers, databaseUrl: '127.0.0.1:5432' } },
      'servers.databaseUrl must be the address of a PostgreSQL.*; seen: a text of 14 characters',
    ],
  ])('%j is refused before anything starts', async (options, problem) => {
    await expect(createTestStack(given(options))).rejects.toThrow(new RegExp(`^tramita: ${problem}`));
  });

  it('of servers for many files are looked at as well', async () => {
    await expect(startTestServers(given({ onprogress: () => undefined }))).rejects.toThrow(
      'tramita: options of startTestServers has an unknown member "onprogress"; known members are onProgress',
    );
  });

  it('a misspelt check of money is none that is passed', () => {
    for (const wrong of [{ samecall: 'once' }, { sameCall: 'Once' }, 'once', null]) {
      expect(() => checkNothingPaidTwice(given(wrong))).toThrow(/^tramita: options of assertNothingPaidTwice/);
    }
    for (const right of [{}, { sameCall: 'once' }, { sameCall: 'as-asked' }, { sameCall: undefined }]) {
      expect(() => checkNothingPaidTwice(given(right))).not.toThrow();
    }
  });
});
