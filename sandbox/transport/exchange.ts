/**
 * One request on a socket: log it, let a fault strike before, perform, let a fault strike after, write, record what was
 * flushed. The same for operations and downloads, which differ only in the function that performs them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cnjDigits } from '../../src/contract/index.js';
import type { Answer } from '../answer.js';
import { buildStatusAnswer } from '../faults/alter-answer.js';
import type { Fault } from '../faults/fault-types.js';
import { hashKey, readApiKey } from '../keys.js';
import type { Performed } from '../operations/perform.js';
import type { World } from '../world.js';
import { pause } from './pause.js';
import { writeAnswer } from './write-answer.js';

export type Perform = (world: World, request: FastifyRequest, connection: number) => Performed;

/** Makes the handlers of one origin; `operation` is a catalogue id, `downloadDocument`, or null. */
export type RouteMaker = (
  operation: string | null,
  perform: Perform,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function routesOf(
  origin: 'api' | 'documents',
  { world, connectionOf }: { readonly world: () => World; readonly connectionOf: (socket: object) => number },
): RouteMaker {
  return (operation, perform) => (request, reply) => {
    const connection = connectionOf(request.raw.socket);
    return runExchange(request, reply, { world: world(), origin, operation, connection, perform });
  };
}

interface ExchangeInput {
  readonly world: World;
  readonly origin: 'api' | 'documents';
  readonly operation: string | null;
  readonly connection: number;
  readonly perform: Perform;
}

/** Connections that have already carried a request. */
const served = new WeakSet();

async function runExchange(request: FastifyRequest, reply: FastifyReply, input: ExchangeInput): Promise<void> {
  reply.hijack();
  const { world, operation } = input;
  const key = readApiKey(request.headers);
  const n = world.requests.open({
    at: new Date(world.clock.nowMs()).toISOString(),
    origin: input.origin,
    operation,
    method: request.method,
    target: request.raw.url ?? '',
    keyHash: key === undefined ? null : hashKey(key),
    connection: input.connection,
  });
  const write = async (answer: Answer, fault: Fault | undefined, charge: number | null): Promise<void> => {
    const { clock, ended, origins } = world;
    const own = input.origin === 'api' ? origins.apiUrl : origins.documentsUrl;
    const surroundings = { elsewhere: origins.documentsUrl, self: own + (request.raw.url ?? '') };
    const facts = { response: reply.raw, answer, fault, nowMs: clock.nowMs(), surroundings, ended };
    const flushed = await writeAnswer(facts);
    world.requests.note(n, { status: answer.status, flushed });
    if (charge !== null && !ended.aborted) world.book.noteFlushed(charge, flushed);
  };

  const reused = served.has(request.raw.socket);
  served.add(request.raw.socket);
  const cnj = caseOf(world, request);
  const before = operation === null ? undefined : world.faults.fire({ operation, cnj, reused, answer: null });
  if (before !== undefined) world.requests.note(n, { fault: before.fault });
  switch (before?.fault) {
    case 'F1':
    case 'F14':
      request.raw.socket.resetAndDestroy();
      world.requests.note(n, { flushed: 'none' });
      return;
    case 'F3':
      request.raw.socket.destroy();
      world.requests.note(n, { flushed: 'none' });
      return;
    case 'F18':
    case 'status':
      await write(buildStatusAnswer(before), undefined, null);
      return;
    case 'F7':
      if (!(await pause(before.ms, world.ended))) return;
  }

  const performed = input.perform(world, request, input.connection);
  const { reproduced, charge } = performed;
  const answer = world.planted.into(performed.answer, operation);
  const moment = { status: answer.status, reproduced };
  const after = operation === null ? undefined : world.faults.fire({ operation, cnj, reused, answer: moment });
  world.requests.note(n, { charge, ...(after === undefined ? {} : { fault: after.fault }) });
  await performed.before;
  await write(answer, after, charge);
}

/** The case that a request names in its path, or that of the work that it polls. */
function caseOf(world: World, request: FastifyRequest): string | undefined {
  const { cnj, requestId } = request.params as Readonly<Record<string, string | undefined>>;
  return cnj === undefined ? world.works.find(requestId ?? '')?.cnj : cnjDigits(cnj);
}
