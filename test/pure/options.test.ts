/** Options that plain JavaScript passes: an unknown or wrong member is refused before anything begins. */
import { createTokens } from '../../src/config/index.js';
import { startCallOperation, startRefreshCase, type StarterDeps } from '../../src/starters/index.js';
import { createTestStack, startTestServers } from '../../src/testing/index.js';
import { checkNothingPaidTwice } from '../../src/testing/stack/check-options.js';

const CNJ = '1000001-51.2026.8.26.0100';
/** A value that the compiler would refuse. */
const untyped = (value: unknown): never => value as never;

describe('options of a start', () => {
  const never = (): never => {
    throw new Error('Temporal was called');
  };
  const deps: StarterDeps = {
    client: untyped({ workflow: { getHandle: never, start: never } }),
    taskQueue: 'tramita',
    token: () => 'token',
    masksCnj: () => false,
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
  ])('%j are refused, and nothing is started', async (options, problem) => {
    await expect(startRefreshCase(deps, { cnj: CNJ }, untyped(options))).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(new RegExp(`^tramita: ${problem}.*Nothing was started$`)) as string,
    });
  });
});

describe('the input of a start', () => {
  const { token } = createTokens('00'.repeat(32));

  /** The arguments and the id of each workflow that was started. */
  const started: { readonly workflowId: string; readonly args: readonly unknown[] }[] = [];
  const deps: StarterDeps = {
    client: untyped({
      workflow: {
        getHandle: () => ({
          describe: () => Promise.reject(Object.assign(new Error(), { name: 'WorkflowNotFoundError' })),
        }),
        start: (_type: string, run: (typeof started)[number]) => {
          started.push(run);
          return Promise.resolve({ firstExecutionRunId: 'run' });
        },
      },
    }),
    taskQueue: 'tramita',
    token,
  };
  beforeEach(() => started.splice(0));

  it('is the one at the time of the call, whatever the caller changes afterwards', async () => {
    const OTHER = '5000777-14.2025.8.13.0024';
    const input = { cnj: CNJ, maxSpend: '1.00' };
    const options = { workflowId: 'mine' };
    const starting = startRefreshCase(deps, input, options);
    Object.assign(input, { cnj: OTHER, maxSpend: '900.00' });
    options.workflowId = 'other';
    await starting;
    expect(started).toMatchObject([{ workflowId: 'mine', args: [{ cnj: CNJ, maxSpend: '1.00' }] }]);
  });

  it('is refused if its JSON would lack a member, such as a cap', async () => {
    class InputWithGetter {
      readonly cnj = CNJ;
      get maxSpend(): string {
        return '1.00';
      }
    }
    await expect(startRefreshCase(deps, new InputWithGetter())).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(
        /^tramita: input\.maxSpend is not an own member of .*Nothing was started$/,
      ) as string,
    });
    expect(started).toEqual([]);
  });

  it('determines the workflow id by its JSON', async () => {
    const body = { since: new Date(0), until: undefined, levels: [null, -0] };
    await startCallOperation(deps, { operation: 'createRadar', body: untyped(body) });
    const unsendable: readonly [unknown, string][] = [
      [Number.NaN, 'the number NaN'],
      [[undefined], 'undefined'],
      [() => 1, 'function'],
    ];
    for (const [n, what] of unsendable) {
      const refused = { type: 'InvalidInput', message: expect.stringContaining(`${what} under "`) as string };
      await expect(startCallOperation(deps, { operation: 'createRadar', body: untyped({ n }) })).rejects.toMatchObject(
        refused,
      );
    }
    const sent = { since: '1970-01-01T00:00:00.000Z', levels: [null, 0] };
    expect(started).toMatchObject([{ args: [{ operation: 'createRadar', body: sent }] }]);
    await startCallOperation(deps, { operation: 'createRadar', body: untyped({ ...body, since: new Date(1) }) });
    const [first, second] = started;
    expect(second?.workflowId).not.toBe(first?.workflowId);
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
  ])('%j are refused before anything starts', async (options, problem) => {
    await expect(createTestStack(untyped(options))).rejects.toThrow(new RegExp(`^tramita: ${problem}`));
  });

  it('are checked by startTestServers too', async () => {
    await expect(startTestServers(untyped({ onprogress: () => undefined }))).rejects.toThrow(
      'tramita: options of startTestServers has an unknown member "onprogress"; known members are onProgress',
    );
  });

  it('are checked by assertNothingPaidTwice, which refuses a misspelt check', () => {
    for (const wrong of [{ samecall: 'once' }, { sameCall: 'Once' }, 'once', null]) {
      expect(() => checkNothingPaidTwice(untyped(wrong))).toThrow(/^tramita: options of assertNothingPaidTwice/);
    }
    for (const right of [{}, { sameCall: 'once' }, { sameCall: 'as-asked' }, { sameCall: undefined }]) {
      expect(() => checkNothingPaidTwice(untyped(right))).not.toThrow();
    }
  });
});
