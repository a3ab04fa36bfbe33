/**
 * Runs that were refused before a search attribute named them as ours: started by plain JSON with an input that is not accepted,
 * of a type that does not exist, or with a cron schedule. Their inputs hold what the caller wrote, so a subject is found there too.
 */
import { randomBytes } from 'node:crypto';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { createPayloadCodec } from '../../src/temporal-client/index.js';
import { keysOf } from '../codec/support.js';
import { withFlows } from '../flows/with-flows.js';
import { until } from '../support/until.js';
import { subjectCommand } from './subject-command.js';

const NAMESPACE = `subject-refused-${randomBytes(4).toString('hex')}`;
const CPF = '529.982.247-25';
const WHO = ['--cpf', CPF];

describe('a subject in the inputs of refused runs', () => {
  const flows = withFlows({ namespace: NAMESPACE, payloadKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}` });
  const { tramita, find, requester } = subjectCommand(flows, NAMESPACE);

  it('is found and erased, and the runs of other programs stay', async () => {
    const { client, taskQueue } = flows;
    const start = (workflowId: string, type: string, input: object, more: object = {}) =>
      client.workflow.start(type, { workflowId, taskQueue, args: [input], ...more });
    const params = { documento: CPF };
    const refused = [
      await start('unknown-member', 'callOperation', { operation: 'listCasesByDocument', params, oops: 1 }),
      await start('not-a-case', 'refreshCase', { cnj: CPF }),
      await start('no-such-type', 'refreshPerson', { cpf: CPF }),
    ];
    for (const run of refused) await expect(run.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    await start('with-cron', 'refreshCase', { cnj: CPF }, { cronSchedule: '0 0 1 1 *' });
    await start('of-another-program', 'refreshCase', { cpf: CPF }, { taskQueue: 'another-program' });
    await until(async () => (await find(WHO))['flows'] === 4, { what: 'four runs' });

    const held = await tramita(['erase', ...WHO, ...requester, '--yes']);
    expect([held.code, held.out]).toEqual([3, expect.stringContaining('with-cron')]);
    expect(await tramita(['erase', ...WHO, ...requester, '--yes', '--cancel'])).toMatchObject({ code: 0 });
    expect(await find(WHO)).toEqual({});
    const left: string[] = [];
    for await (const { workflowId } of client.workflow.list()) left.push(workflowId);
    expect(left).toEqual(['of-another-program']);
  });

  it('is found and erased in schedules of our flows, and the schedules of other programs stay, although their key is unknown', async () => {
    const { client, taskQueue } = flows;
    const add = (scheduler: Client, scheduleId: string, to: string, workflowType = 'payInvoice') =>
      scheduler.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: '30 days' }] },
        state: { paused: true },
        action: { type: 'startWorkflow', workflowType, taskQueue: to, args: [{ cpf: CPF }] },
      });
    const payloadCodecs = [createPayloadCodec(keysOf('theirs'), { onUnreadable: 'throw' })];
    const { connection } = client;
    const others = new Client({ connection, namespace: NAMESPACE, dataConverter: { payloadCodecs } });
    await add(others, 'sealed-of-another-program', 'another-program');
    await add(client, 'of-another-program', 'another-program');
    await add(client, 'on-our-queue', taskQueue);
    await add(client, 'of-our-flow', 'queue-of-before', 'callOperation');
    await until(async () => (await find(WHO))['schedules'] === 2, { what: 'two schedules' });

    expect(await tramita(['erase', ...WHO, ...requester, '--yes', '--cancel'])).toMatchObject({ code: 0 });
    expect(await find(WHO)).toEqual({});
    const left: string[] = [];
    for await (const { scheduleId } of client.schedule.list()) left.push(scheduleId);
    expect(left.sort()).toEqual(['of-another-program', 'sealed-of-another-program']);
  });
});
