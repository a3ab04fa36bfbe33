/**
 * Routes of both origins. The service has one per operation of the catalogue; every other path answers 401, 403 or 404.
 * The second origin has the signed links of public documents, which open without a key.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatCnj, OPERATIONS } from '../../src/contract/index.js';
import { pdfAnswer, refuse, type Answer } from '../answer.js';
import { documentsOf } from '../cases/documents.js';
import { buildPdf } from '../cases/pdf.js';
import { verifyLinkPath } from '../cases/signed-link.js';
import { traitsOf } from '../cases/traits.js';
import { identify, readApiKey } from '../keys.js';
import { buildOpenApi } from '../openapi/build-openapi.js';
import { perform, unpaid } from '../operations/perform.js';
import type { World } from '../world.js';
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
  // Links of the dialect `key-required`: the same documents, but they need the key.
  server.get('/documentos/*', openWithKey);
  server.get('/openapi.json', (_request, reply) => reply.send(buildOpenApi(world().origins.apiUrl)));
  const unknown = refuse(404, 'NOT_FOUND', 'There is no such operation.');
  server.setNotFoundHandler(route(null, (_world, request) => unpaid(refuseByKey(request) ?? unknown)));
}

function refuseByKey(request: FastifyRequest): Answer | undefined {
  const who = identify(readApiKey(request.headers));
  return typeof who === 'object' ? who : undefined;
}

export function addDocumentsRoutes(server: FastifyInstance, route: RouteMaker): void {
  server.get(
    '/documentos/*',
    route('downloadDocument', (world, request) => unpaid(openLink(world, request.raw.url ?? ''))),
  );
  const nothing = refuse(404, 'NOT_FOUND', 'There is nothing here.');
  server.setNotFoundHandler(route(null, () => unpaid(nothing)));
}

/** `target`: path and query byte for byte as received. */
function openLink(world: World, target: string): Answer {
  const { seed } = world.settings;
  const verdict = verifyLinkPath(seed, target, world.clock.nowMs());
  if (!verdict.ok) return refuse(403, verdict.code, 'The link is not valid, or no longer.');
  const { cnj, number } = verdict.target;
  const document = documentsOf(seed, cnj, traitsOf(seed, cnj, world.settings.corpus))[number - 1];
  if (document === undefined) return refuse(404, 'NOT_FOUND', 'There is no such document.');
  const body = buildPdf(
    Array.from(
      { length: document.pages },
      (_, page) => `${document.title} - ${formatCnj(cnj)} - ${page + 1}/${document.pages}`,
    ),
  );
  return pdfAnswer(body, `documento-${number}.pdf`);
}
