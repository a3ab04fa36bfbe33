/** Wakes that an operator replays: delivered, counted, and left to a relay when they cannot be delivered. */
import { deliverWakes, replayPayload, type BridgeInbox, type SignalWake } from '../../src/bridge/index.js';
import type { ReplayedWake } from '../../src/inbox/index.js';

const wakes = (count: number, members: Partial<ReplayedWake> = {}): readonly ReplayedWake[] =>
  Array.from({ length: count }, (_, seq) => ({
    eventKey: 'default/e',
    workflowId: `flow-${seq}`,
    eventId: 'e',
    event: 'outro',
    seq,
    ...members,
  }));

function rig(
  signalWake: SignalWake,
  inbox: Partial<Pick<BridgeInbox, 'markWoken' | 'dropWaiters' | 'waitersElsewhere'>> = {},
) {
  const marked: string[] = [];
  const dropped: string[] = [];
  const errors: string[] = [];
  const deps = {
    payloadOf: replayPayload,
    signalWake,
    inbox: {
      markWoken: (woken: readonly { readonly workflowId: string }[]) => {
        marked.push(...woken.map(({ workflowId }) => workflowId));
        return Promise.resolve();
      },
      dropWaiters: ({ workflowId }: { readonly workflowId: string }) => {
        dropped.push(workflowId);
        return Promise.resolve();
      },
      ...inbox,
    },
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (_fields: object, text: string) => void errors.push(text),
    },
  };
  return { marked, dropped, errors, deps };
}

const failing = (members: object): Promise<never> => Promise.reject(Object.assign(new Error('no'), members));

test('deliverWakes counts each wake by its result, and only unreachable ones stay owed', async () => {
  const { marked, dropped, errors, deps } = rig((workflowId) => {
    if (workflowId === 'flow-1') return failing({ name: 'WorkflowNotFoundError' });
    if (workflowId === 'flow-2') return failing({ code: 3 });
    return workflowId === 'flow-3' ? failing({ code: 14 }) : Promise.resolve();
  });
  expect(await deliverWakes(deps, wakes(6))).toEqual({ woken: 3, gone: 1, refused: 1, later: 1 });
  expect([...marked].sort()).toEqual(['flow-0', 'flow-1', 'flow-2', 'flow-4', 'flow-5']);
  expect(dropped).toEqual(['flow-1']);
  expect(errors).toEqual(['wake refused by Temporal; given up']);
});

test('deliverWakes stops after one batch while Temporal is away, instead of waiting for each wake', async () => {
  let attempts = 0;
  const { marked, deps } = rig(() => {
    attempts += 1;
    return failing({ code: 14 });
  });
  expect(await deliverWakes(deps, wakes(1_000))).toEqual({ woken: 0, gone: 0, refused: 0, later: 1_000 });
  expect([attempts, marked]).toEqual([64, []]);
});

test('deliverWakes wakes every flow even when the database cannot mark the wakes', async () => {
  const done: number[] = [];
  const { deps } = rig(() => Promise.resolve(), { markWoken: () => failing({}) });
  const report = await deliverWakes({ ...deps, onProgress: (count) => void done.push(count) }, wakes(100));
  expect(report).toEqual({ woken: 100, gone: 0, refused: 0, later: 0 });
  expect(done).toEqual([64, 100]);
});

test('deliverWakes sends only technical names into a history', async () => {
  const payloads: unknown[] = [];
  const { deps } = rig((_workflowId, payload) => {
    payloads.push(payload);
    return Promise.resolve();
  });
  await deliverWakes(deps, wakes(1, { eventId: 'doc 123.456.789-09', event: 'Ana' }));
  await deliverWakes(deps, wakes(1, { event: '' }));
  expect(payloads).toEqual([
    { reason: 'replay', eventId: expect.stringMatching(/^sha256:[0-9a-f]{32}$/) as string, event: 'other' },
    { reason: 'replay', eventId: 'e' },
  ]);
});

test('deliverWakes treats no flow as ended when Temporal does not find the namespace', async () => {
  const answers = [
    { name: 'NamespaceNotFoundError', message: "Namespace not found: 'other'" },
    { name: 'WorkflowNotFoundError', message: 'Namespace other is not found.' },
    { code: 5, details: 'Namespace other is not found.', message: '5 NOT_FOUND: Namespace other is not found.' },
    { name: 'ServiceError', cause: { code: 5, details: 'Namespace other is not found.' } },
  ];
  for (const members of answers) {
    const { marked, dropped, deps } = rig(() => failing(members));
    expect(await deliverWakes(deps, wakes(1))).toEqual({ woken: 0, gone: 0, refused: 0, later: 1 });
    expect([marked, dropped]).toEqual([[], []]);
  }
});

test('deliverWakes does not treat a flow that waits in another namespace as ended', async () => {
  const questions: unknown[] = [];
  const signalWake = Object.assign(() => failing({ name: 'WorkflowNotFoundError', message: 'workflow not found' }), {
    namespace: 'staging',
  });
  const { marked, dropped, errors, deps } = rig(signalWake, {
    waitersElsewhere: (question) => {
      questions.push(question);
      return Promise.resolve(['flow-0', 'flow-2']);
    },
  });
  expect(await deliverWakes(deps, wakes(3))).toEqual({ woken: 0, gone: 1, refused: 0, later: 2 });
  expect([marked, dropped]).toEqual([['flow-1'], ['flow-1']]);
  expect(questions).toEqual([{ workflowIds: ['flow-0', 'flow-1', 'flow-2'], namespace: 'staging' }]);
  expect(errors).toHaveLength(1);

  const withoutAnswer = rig(signalWake, { waitersElsewhere: () => failing({}) });
  expect(await deliverWakes(withoutAnswer.deps, wakes(3))).toEqual({ woken: 0, gone: 0, refused: 0, later: 3 });
  expect(withoutAnswer.dropped).toEqual([]);
});
