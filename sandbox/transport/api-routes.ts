/** Routes of the service, one per operation of the catalogue; every other path answers 401, 403 or 404. */
import type { FastifyInstance } from 'fastify';
import { OPERATIONS, type Operation } from '../../src/contract/index.js';
import { refuse } from '../answer.js';
import { identify, readApiKey } from '../keys.js';
import { perform, type Performed } from '../operations/perform.js';
import type { World } from '../world.js';
import { buildOpenApi } from '../openapi/build-openapi.js';
import { openLink } from './documents-routes.js';
import { runExchange } from './exchange.js';
import { bodyBytes } from './server.js';

export function addApiRoutes(
  server: FastifyInstance,
  deps: { readonly world: () => World; readonly connectionOf: (socket: object) => number },
): void {
  for (const operation of OPERATIONS) {
    server.route({
      method: operation.method,
      url: routeOf(operation),
      handler: (request, reply) => {
        const world = deps.world();
        const connection = deps.connectionOf(request.raw.socket);
        const raw = {
          path: request.params as Record<string, string>,
          query: request.query as Record<string, unknown>,
          body: bodyBytes(request.body),
        };
        const apiKey = readApiKey(request.headers);
        return runExchange(request, reply, {
          world,
          origin: 'api',
          operation: operation.id,
          connection,
          perform: () => perform(world, { operation, apiKey, raw, connection, address: request.ip }),
        });
      },
    });
  }
  // Links of the dialect `key-required`: the same documents, behind the key.
  server.get('/documentos/*', (request, reply) => {
    const world = deps.world();
    return runExchange(request, reply, {
      world,
      origin: 'api',
      operation: 'downloadDocument',
      connection: deps.connectionOf(request.raw.socket),
      perform: () =>
        identify(readApiKey(request.headers)).kind === 'account'
          ? { answer: openLink(world, request.raw.url ?? ''), charge: null, reproduced: false }
          : refuseUnknownPath(readApiKey(request.headers)),
    });
  });
  server.get('/openapi.json', (_request, reply) => reply.send(buildOpenApi(deps.world().origins.apiUrl)));
  server.setNotFoundHandler((request, reply) =>
    runExchange(request, reply, {
      world: deps.world(),
      origin: 'api',
      operation: null,
      connection: deps.connectionOf(request.raw.socket),
      perform: () => refuseUnknownPath(readApiKey(request.headers)),
    }),
  );
}

function routeOf(operation: Operation): string {
  return operation.path.replace(/\{(\w+)\}/g, ':$1');
}

function refuseUnknownPath(apiKey: string | undefined): Performed {
  const who = identify(apiKey);
  const answer =
    who.kind === 'account'
      ? refuse(404, 'NOT_FOUND', 'There is no such operation.')
      : who.kind === 'forbidden'
        ? refuse(403, 'FORBIDDEN', 'This key may not do this operation.')
        : refuse(401, 'API_KEY_REQUIRED', 'The API key is missing or not valid.');
  return { answer, charge: null, reproduced: false };
}
