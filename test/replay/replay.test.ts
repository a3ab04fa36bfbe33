/**
 * Every kept history replays with today's code, without a server, in bundles whose modules are shared as workers share them. A
 * change that breaks one needs `patched`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { History } from '@temporalio/common/lib/proto-utils';
import { workflowSource } from '../../src/workers/workflow-bundle.js';

const DIRECTORY = join(__dirname, 'histories');
const files = readdirSync(DIRECTORY).filter((name) => name.endsWith('.json'));

interface Kept {
  readonly workflowId: string;
  readonly history: unknown;
}

describe('kept histories', () => {
  let bundle: WorkflowBundleWithSourceMap;
  let traced: WorkflowBundleWithSourceMap;
  const read = (name: string): Kept => JSON.parse(readFileSync(join(DIRECTORY, name), 'utf8')) as Kept;
  const replay = ({ workflowId, history }: Kept, workflowBundle = bundle): Promise<void> =>
    Worker.runReplayHistory({ workflowBundle }, history, workflowId);

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const source = await workflowSource({});
    if (!('workflowsPath' in source)) throw new Error('made from TypeScript, there is no bundle yet');
    const { bundlerOptions, workflowsPath = '' } = source;
    const [plain, withTraces] = await Promise.all(
      [[], [join(__dirname, '../../src/traces/workflow-interceptors.ts')]].map((workflowInterceptorModules) =>
        bundleWorkflowCode({
          ...bundlerOptions,
          workflowsPath,
          workflowInterceptorModules,
          logger: new DefaultLogger('ERROR'),
        }),
      ),
    );
    bundle = plain!;
    traced = withTraces!;
  });

  it('cover the webhook path, the polling path and the parked-and-settled path', () => {
    for (const reason of [
      'refresh-webhook',
      'refresh-polling',
      'refresh-parked-not-charged',
      'refresh-parked-charged',
    ]) {
      expect(files.filter((name) => name.startsWith(reason))).not.toEqual([]);
    }
  });

  it.each(files)('%s replays', async (name) => {
    await replay(read(name));
  });

  it.each(files)('%s, recorded without traces, replays with traces', async (name) => {
    await replay(read(name), traced);
  });

  it('replay one after another in one worker, where a run leaves no state to the next', async () => {
    const kept = files.map(read) as { workflowId: string; history: History }[];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle: bundle }, kept)) {
      expect(error).toBeUndefined();
    }
  }, 240_000);

  it('replay under a workflow id that would be refused today', async () => {
    await replay({
      ...read(files.find((name) => name.startsWith('refresh-webhook')) ?? ''),
      workflowId: '529.982.247-25',
    });
  });

  it.each([
    ['refresh-webhook', { maxPages: null, relist: null }],
    ['portfolio', { concurrency: null, documents: null }],
    ['import-lawyer-cases', { pageSize: null, maxPaidChecks: null }],
    ['read-case-last-run', { relist: null }],
    // Check digits that no number has.
    ['refresh-webhook', { cnj: '00000120020268260100' }],
    ['portfolio', { cases: ['00000839920268260100', '00000960120268260100'] }],
  ])('replay when the run of %s has begun with %j, which was accepted', async (name, accepted) => {
    const kept = read(files.find((file) => file.startsWith(name)) ?? '');
    const { events } = kept.history as {
      events: { workflowExecutionStartedEventAttributes: { input: { payloads: { data: string }[] } } }[];
    };
    const [input] = events[0]!.workflowExecutionStartedEventAttributes.input.payloads;
    const given = JSON.parse(Buffer.from(input!.data, 'base64').toString()) as object;
    input!.data = Buffer.from(JSON.stringify({ ...given, ...accepted })).toString('base64');
    await replay(kept);
  });

  it('fail to replay when a command differs', async () => {
    const kept = read(files.find((name) => name.startsWith('refresh-webhook')) ?? '');
    const history = kept.history as {
      events: { eventType: string; activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
    };
    for (const event of history.events) {
      if (event.activityTaskScheduledEventAttributes !== undefined)
        event.activityTaskScheduledEventAttributes.activityType.name = 'another';
    }
    await expect(replay(kept)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });
});
