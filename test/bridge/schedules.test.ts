/**
 * Model test: random schedules of deliveries, repeats, disorder, delay, conflicts, rotations, crashes and outages run
 * against two real bridges, beside a model that only knows which flows must have been woken. At the end of each schedule
 * everything works again, and the service delivers what it still owes. Then no event is lost or recorded twice, no wake is
 * lost or stuck, and no flow was woken without a reason. TRAMITA_BRIDGE_SCHEDULES says how many schedules (2,000 take some
 * minutes), TRAMITA_BRIDGE_SEED repeats a run.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { withDatabase } from '../support/database.js';
import { newCase } from '../support/case-number.js';
import { CRASH_POINTS, openWorld, type CrashPoint, type World } from './schedule-world.js';
import { deliver, type Reply } from './support.js';
import { until } from '../support/until.js';

const SCHEDULES = Number(process.env['TRAMITA_BRIDGE_SCHEDULES'] ?? 40);
const SEED = Number(process.env['TRAMITA_BRIDGE_SEED'] ?? Date.now() % 1_000_000_000);
const MAX_COMMANDS = 25;

const database = withDatabase();

interface Event {
  readonly id: string;
  readonly body: string;
  /** `id` and hash: each such pair is recorded once. */
  readonly identity: string;
  readonly keys: readonly string[];
  /** False for news, which wakes no flow. */
  readonly wakes: boolean;
}

interface Model {
  readonly cases: readonly string[];
  readonly secrets: string[];
  /** Deliveries without a 2xx yet, each with the secret that signed it. */
  owed: { readonly event: Event; readonly secret: string }[];
  readonly acknowledged: Event[];
  /** Identity → flows that waited when it was recorded. */
  readonly recorded: Map<string, { readonly event: Event; readonly waiting: Set<string> }>;
  /** Flow → keys that it waits under. */
  readonly flows: Map<string, Set<string>>;
  readonly ended: Set<string>;
  made: number;
}

type Command = fc.AsyncCommand<Model, World>;

function command(
  title: string,
  run: (model: Model, world: World) => Promise<void>,
  check?: (model: Model) => boolean,
): Command {
  return { check: (model) => check?.(model) ?? true, run, toString: () => title };
}

function buildEvent(model: Model, options: { readonly id?: string; readonly place: number }): Event {
  const cnj = model.cases[options.place % model.cases.length] ?? '';
  model.made += 1;
  const id = options.id ?? `evt_${model.made}`;
  const wakes = model.made % 4 !== 0;
  const event = wakes ? 'atualizacao_processo_concluida' : 'nova_movimentacao';
  const body = JSON.stringify({ id, event, data: { numeroCnj: cnj, made: model.made } });
  const identity = `${id} ${createHash('sha256').update(body).digest('hex')}`;
  return { id, body, identity, keys: [`cnj:${cnj}`], wakes };
}

const send = (world: World, which: number, owed: Model['owed'][number]): Promise<Reply> =>
  deliver(world.port(which), owed.event.body, {
    secret: owed.secret,
    headers: { 'x-service-delivery-id': `d-${Math.random()}` },
  });

/** Applies a commit to the model: which flows wait under a key of the event now. */
function noteRecorded(model: Model, event: Event): void {
  if (model.recorded.has(event.identity)) return;
  const waiting = [...model.flows].filter(([, keys]) => event.wakes && event.keys.some((key) => keys.has(key)));
  model.recorded.set(event.identity, { event, waiting: new Set(waiting.map(([workflowId]) => workflowId)) });
}

function noteAnswer(model: Model, owed: Model['owed'][number], reply: Reply): void {
  const isKnown = model.secrets.includes(owed.secret);
  expect(reply.status).toBe(isKnown ? 202 : 401);
  model.owed = model.owed.filter((other) => other !== owed);
  if (isKnown) {
    expect(reply.body['duplicate']).toBe(model.recorded.has(owed.event.identity));
    noteRecorded(model, owed.event);
    model.acknowledged.push(owed.event);
  } else {
    // The service signs its next attempt with the secret of that day.
    model.owed.push({ event: owed.event, secret: model.secrets[0] ?? '' });
  }
}

const pick = <T>(all: readonly T[], place: number): T => all[place % all.length] as T;
const owes = (model: Model): boolean => model.owed.length > 0;

const emit = (place: number): Command =>
  command(`emit ${place}`, async (model) => {
    await Promise.resolve();
    model.owed.push({ event: buildEvent(model, { place }), secret: model.secrets[0] ?? '' });
  });

const conflict = (place: number): Command =>
  command(
    `conflict ${place}`,
    async (model) => {
      await Promise.resolve();
      const { id } = pick([...model.recorded.values()], place).event;
      model.owed.push({ event: buildEvent(model, { id, place }), secret: model.secrets[0] ?? '' });
    },
    (model) => model.recorded.size > 0,
  );

/** Delivers any owed event: later ones overtake earlier ones, and some remain until the end. */
const deliverOne = (place: number, which: number): Command =>
  command(
    `deliver ${place} to ${which % 2}`,
    async (model, world) => {
      const owed = pick(model.owed, place);
      noteAnswer(model, owed, await send(world, which, owed));
    },
    owes,
  );

const repeat = (place: number, which: number): Command =>
  command(
    `repeat ${place} at ${which % 2}`,
    async (model, world) => {
      const event = pick(model.acknowledged, place);
      const reply = await send(world, which, { event, secret: model.secrets[0] ?? '' });
      expect([reply.status, reply.body['duplicate']]).toEqual([202, true]);
    },
    (model) => model.acknowledged.length > 0,
  );

const forge = (place: number, which: number): Command =>
  command(`forge ${place} at ${which % 2}`, async (model, world) => {
    const event = buildEvent(model, { place });
    expect((await send(world, which, { event, secret: 'nobody-knows-0123456789' })).status).toBe(401);
  });

/** Delivers everything owed at once, each event three times over both bridges. */
const storm = (): Command =>
  command(
    'storm',
    async (model, world) => {
      const all = model.owed.filter(({ secret }) => model.secrets.includes(secret));
      const before = new Set(model.recorded.keys());
      const replies = await Promise.all(
        all.flatMap((owed) => [0, 1, 1].map(async (which) => ({ owed, reply: await send(world, which, owed) }))),
      );
      for (const { owed, reply } of replies) {
        expect(reply.status).toBe(202);
        noteRecorded(model, owed.event);
      }
      const fresh = replies
        .filter(({ reply }) => reply.body['duplicate'] === false)
        .map(({ owed }) => owed.event.identity);
      const expected = new Set(all.map(({ event }) => event.identity).filter((identity) => !before.has(identity)));
      expect(fresh.sort()).toEqual([...expected].sort());
      model.owed = model.owed.filter((owed) => !all.includes(owed));
      model.acknowledged.push(...all.map(({ event }) => event));
    },
    owes,
  );

const wait = (flow: number, place: number): Command =>
  command(
    `flow ${flow} waits for ${place}`,
    async (model, world) => {
      const workflowId = `flow-${flow}`;
      const key = `cnj:${pick(model.cases, place)}`;
      const foundEvent = await world.wait(workflowId, key);
      // An event recorded before the flow waits is found by the flow itself.
      expect(foundEvent).toBe(
        [...model.recorded.values()].some(({ event }) => event.wakes && event.keys.includes(key)),
      );
      noteWaiting(model, workflowId, key);
    },
    (model) => !model.ended.has(`flow-${flow}`),
  );

function noteWaiting(model: Model, workflowId: string, key: string): void {
  model.flows.set(workflowId, (model.flows.get(workflowId) ?? new Set()).add(key));
}

/** A flow begins to wait at the moment its event arrives: one of the two must see the other. */
const race = (flow: number, place: number, which: number): Command =>
  command(
    `flow ${flow} races with ${place}`,
    async (model, world) => {
      const workflowId = `flow-${flow}`;
      const owed = pick(model.owed, place);
      const [key = ''] = owed.event.keys;
      const wasWaiting = model.flows.get(workflowId)?.has(key) === true;
      const [reply, foundEvent] = await Promise.all([send(world, which, owed), world.wait(workflowId, key)]);
      const wasKnown = model.recorded.has(owed.event.identity);
      noteAnswer(model, owed, reply);
      noteWaiting(model, workflowId, key);
      const recorded = model.recorded.get(owed.event.identity);
      if (wasKnown || wasWaiting || recorded === undefined) return;
      const isWoken = (await world.wakes()).some(
        (wake) => `${wake.event_id} ${wake.body_sha256}` === owed.event.identity && wake.workflow_id === workflowId,
      );
      expect(owed.event.wakes ? isWoken || foundEvent : !isWoken).toBe(true);
      if (isWoken) recorded.waiting.add(workflowId);
    },
    (model) => owes(model) && !model.ended.has(`flow-${flow}`),
  );

/** Its waiters remain until a signal finds that it has ended. */
const end = (flow: number): Command =>
  command(
    `flow ${flow} ends`,
    async (model, world) => {
      await Promise.resolve();
      model.ended.add(`flow-${flow}`);
      world.temporal.ended.add(`flow-${flow}`);
    },
    (model) => model.flows.has(`flow-${flow}`),
  );

const crashAt = (point: CrashPoint, place: number, which: number): Command =>
  command(
    `bridge ${which % 2} dies ${point} of ${place}`,
    async (model, world) => {
      const owed = pick(model.owed, place);
      world.planCrash(which, point);
      const reply = await send(world, which, owed).catch(() => undefined);
      await world.crash(which);
      if (reply?.status === 202 || reply?.status === 401) {
        noteAnswer(model, owed, reply);
        return;
      }
      // The service got no answer, so the database decides.
      const stored = await world.events();
      if (stored.some((row) => `${row.event_id} ${row.body_sha256}` === owed.event.identity))
        noteRecorded(model, owed.event);
      else expect(point).not.toBe('after-commit');
    },
    (model) => model.owed.length > 0,
  );

const crash = (which: number): Command => command(`bridge ${which % 2} dies`, (_model, world) => world.crash(which));

const temporal = (up: boolean): Command =>
  command(`Temporal is ${up ? 'back' : 'away'}`, async (_model, world) => {
    await Promise.resolve();
    world.temporal.up = up;
  });

/** First the bridges learn the new secret, then the service signs with it; the second step forgets the older ones. */
const rotate = (keeps: boolean): Command =>
  command(keeps ? 'a new secret' : 'older secrets are forgotten', async (model, world) => {
    if (keeps) model.secrets.unshift(`secret-of-a-schedule-${model.secrets.length}-${(model.made += 1)}`);
    else model.secrets.splice(1);
    await world.restartWith([...model.secrets]);
  });

const number = fc.nat({ max: 9 });
const flow = fc.nat({ max: 3 });
const COMMANDS = [
  number.map(emit),
  number.map(emit),
  number.map(emit),
  fc.tuple(flow, number).map(([who, place]) => wait(who, place)),
  fc.tuple(flow, number).map(([who, place]) => wait(who, place)),
  fc.tuple(number, number).map(([place, which]) => deliverOne(place, which)),
  fc.tuple(number, number).map(([place, which]) => deliverOne(place, which)),
  fc.tuple(number, number).map(([place, which]) => repeat(place, which)),
  fc.tuple(number, number).map(([place, which]) => forge(place, which)),
  fc.tuple(flow, number, number).map(([who, place, which]) => race(who, place, which)),
  fc.tuple(fc.constantFrom(...CRASH_POINTS), number, number).map(([at, place, which]) => crashAt(at, place, which)),
  number.map(conflict),
  fc.constant(storm()),
  flow.map(end),
  number.map(crash),
  fc.boolean().map(temporal),
  fc.boolean().map(rotate),
];

/** Everything works again, and the service delivers until it has a 2xx for every event. */
async function deliverAll(model: Model, world: World): Promise<void> {
  world.temporal.up = true;
  for (let round = 0; owes(model); round += 1) {
    expect(round).toBeLessThan(3);
    for (const owed of [...model.owed]) noteAnswer(model, owed, await send(world, round, owed));
  }
  await until(async () => (await world.wakes()).every(({ woken }) => woken), { what: 'no wake is owed any more' });
}

async function examine(model: Model, world: World): Promise<void> {
  const stored = await world.events();
  expect(stored.map((row) => `${row.event_id} ${row.body_sha256}`).sort()).toEqual([...model.recorded.keys()].sort());
  expect(stored.filter(({ conflict: isOne }) => !isOne)).toHaveLength(
    new Set(stored.map(({ event_id }) => event_id)).size,
  );

  const wakes = (await world.wakes()).filter(({ workflow_id }) => !model.ended.has(workflow_id));
  const expected = [...model.recorded].flatMap(([identity, { waiting }]) =>
    [...waiting].filter((workflowId) => !model.ended.has(workflowId)).map((workflowId) => `${identity} ${workflowId}`),
  );
  expect(wakes.map((wake) => `${wake.event_id} ${wake.body_sha256} ${wake.workflow_id}`).sort()).toEqual(
    expected.sort(),
  );

  for (const workflowId of model.flows.keys()) {
    const owed = wakes.filter(({ workflow_id }) => workflow_id === workflowId).length;
    const signals = world.temporal.signalled.filter((signalled) => signalled === workflowId).length;
    // A signal may repeat, but no wake may be without one.
    expect(signals).toBeGreaterThanOrEqual(owed);
  }
  const mayBeSignalled = new Set([...model.recorded.values()].flatMap(({ waiting }) => [...waiting]));
  expect(world.temporal.signalled.filter((workflowId) => !mayBeSignalled.has(workflowId))).toEqual([]);
}

it(`two bridges lose, repeat and block nothing in ${SCHEDULES} random schedules (seed ${SEED})`, async () => {
  const facts = { commands: 0, events: 0, wakes: 0 };
  await fc.assert(
    fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: MAX_COMMANDS, size: 'max' }), async (commands) => {
      const secret = 'secret-of-a-schedule-0';
      const model: Model = {
        cases: [newCase(), newCase(), newCase()],
        secrets: [secret],
        owed: [],
        acknowledged: [],
        recorded: new Map(),
        flows: new Map(),
        ended: new Set(),
        made: 0,
      };
      const world = await openWorld(database, model.secrets);
      try {
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        await deliverAll(model, world);
        await examine(model, world);
        facts.commands += [...commands].length;
        facts.events += model.recorded.size;
        facts.wakes += (await world.wakes()).length;
      } finally {
        await world.close();
      }
    }),
    { numRuns: SCHEDULES, seed: SEED },
  );
  process.stderr.write(`schedules: ${SCHEDULES}, ${JSON.stringify(facts)}, seed ${SEED}\n`);
  // The schedules must do something. Forty have about 100 events and 40 wakes, sometimes only 60 and 10.
  expect(facts.events).toBeGreaterThan(SCHEDULES / 2);
  expect(facts.wakes).toBeGreaterThan(0);
}, 1_800_000);
