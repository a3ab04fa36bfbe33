/** The second origin: signed links of public documents, opened without a key. */
import type { FastifyInstance } from 'fastify';
import { pdfAnswer, refuse, type Answer } from '../answer.js';
import { documentsOf } from '../cases/documents.js';
import { buildPdf } from '../cases/pdf.js';
import { verifyLinkPath } from '../cases/signed-link.js';
import { traitsOf } from '../cases/traits.js';
import { formatCnj } from '../../src/contract/index.js';
import type { World } from '../world.js';
import { unpaid } from '../operations/perform.js';
import type { RouteMaker } from './exchange.js';

export function addDocumentsRoutes(server: FastifyInstance, route: RouteMaker): void {
  server.get(
    '/documentos/*',
    route('downloadDocument', (world, request) => unpaid(openLink(world, request.raw.url ?? ''))),
  );
  const nothing = refuse(404, 'NOT_FOUND', 'There is nothing here.');
  server.setNotFoundHandler(route(null, () => unpaid(nothing)));
}

/** `target`: path and query byte for byte as received. */
export function openLink(world: World, target: string): Answer {
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
