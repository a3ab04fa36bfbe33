/** Routes of the service, one per operation of the catalogue; every other path answers 401, 403 or 404. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OPERATIONS } from '../../src/contract/index.js';
import { refuse, type Answer } from '../answer.js';
import { identify, readApiKey, refuseKey } from '../keys.js';
import { perform, unpaid } from '../operations/perform.js';
import type { World } from '../world.js';
import { buildOpenApi } from '../openapi/build-openapi.js';
import { openLink } from './documents-routes.js';
import type { RouteMaker } from './exchange.js';
import { bodyBytes } from './server.js';

export function addApiRoutes(server: FastifyInstance, route: RouteMaker, world: () => World): void {
  for (const operation of OPERATIONS) {
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: route(operation.id, (at, request, connection) => {
        const raw = {
          path: request.params as Record<string, string>,
          query: request.query as Record<string, unknown>,
          body: bodyBytes(request.body),
        };
        const apiKey = readApiKey(request.headers);
        return perform(at, { operation, apiKey, raw, connection, address: request.ip });
      }),
    });
  }
  const openWithKey = route('downloadDocument', (at, request) =>
    unpaid(refuseByKey(request) ?? openLink(at, request.raw.url ?? '')),
  );
  // Links of the dialect `key-required`: the same documents, behind the key.
  server.get('/documentos/*', openWithKey);
  server.get('/openapi.json', (_request, reply) => reply.send(buildOpenApi(world().origins.apiUrl)));
  const unknown = refuse(404, 'NOT_FOUND', 'There is no such operation.');
  server.setNotFoundHandler(route(null, (_world, request) => unpaid(refuseByKey(request) ?? unknown)));
}

function refuseByKey(request: FastifyRequest): Answer | undefined {
  const who = identify(readApiKey(request.headers));
  return who.kind === 'account' ? undefined : refuseKey(who.kind);
}
