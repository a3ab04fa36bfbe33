/** The namespace of a waiting flow: noted by the worker that started last, read by a bridge that cannot find the flow. */
import { createInbox } from '../../src/inbox/index.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();

test('waitersElsewhere returns only the waiters with another known namespace', async () => {
  let nowMs = Date.now();
  const inbox = createInbox({ db: database.db, clock: () => nowMs });
  const wait = (workflowId: string): Promise<void> =>
    inbox.waitFor({ workflowId, intentId: '00000000-0000-4000-8000-000000000001', keys: ['cnj:1', 'cnj:2'] });
  const workflowIds = ['before', 'here', 'there', 'nobody'];
  const elsewhere = (namespace: string): Promise<readonly string[]> =>
    inbox.waitersElsewhere({ workflowIds, namespace });

  await wait('before');
  await inbox.noteNamespace('prod');
  await wait('here');
  nowMs += 1_000;
  await inbox.noteNamespace('other');
  await wait('there');
  expect(await elsewhere('prod')).toEqual(['there']);
  expect(await elsewhere('other')).toEqual(['here']);
  nowMs += 1_000;
  await inbox.noteNamespace('prod');
  await wait('here again');
  expect(await inbox.waitersElsewhere({ workflowIds: ['here again'], namespace: 'prod' })).toEqual([]);
});
