/**
 * New-cases radars, case monitors, administrative-process monitors. Each POST creates another one and is charged: the
 * service does not dedupe. Administrative monitors are created by the control interface (their creation has no path in
 * the interface). DELETE is idempotent, and stops debits and events.
 */
import { z } from 'zod';
import { parseCnj, type JsonObject } from '../../src/contract/index.js';
import { envelope, jsonAnswer } from '../answer.js';
import type { Monitor } from '../state/monitors.js';
import { monitorRecord, newMonitor, webhookUrlOf } from './monitor-records.js';
import { pageOf, paging, reading, webhookUrl } from './reading.js';
import { spell } from './spelling.js';
import type { OperationHandler, Verdict, View } from './types.js';
import { answered, answeredAs, answeredRecord, refused, refusedCase } from './verdicts.js';

const text = z.string().trim().min(1).max(500);
const radarSchema = z.looseObject({ termo: text, webhook_url: webhookUrl.optional() });

export const createRadar = reading(radarSchema, { termo: ['term'] }, ({ termo, webhook_url }, view) =>
  created(
    { of: 'radar', subject: termo, price: view.settings.prices.createRadar, webhookUrl: webhookUrlOf(webhook_url) },
    view,
  ),
);

const caseSchema = z.looseObject({
  numero_cnj: z.string(),
  frequencia: z.enum(['DIARIA', 'SEMANAL', 'MENSAL']).optional(),
  webhook_url: webhookUrl.optional(),
});

export const createCaseMonitor = reading(caseSchema, { numero_cnj: ['numeroCnj', 'cnj'] }, (args, view) => {
  const parsed = parseCnj(args.numero_cnj);
  if (!parsed.ok) return refused(422, 'INVALID_CNJ', `numero_cnj ${parsed.problem}.`);
  if (!view.traits(parsed.cnj).exists) return refusedCase();
  const { createCaseMonitor: price } = view.settings.prices;
  return created({ of: 'case', subject: parsed.cnj, price, webhookUrl: webhookUrlOf(args.webhook_url) }, view);
});

export const listRadars = reading(z.looseObject(paging({ limit: 20, max: 100 })), {}, (asked, view) => {
  const { rows, members } = pageOf(view.monitors('radar'), asked, view);
  const items = rows.map((monitor) => spell(monitorRecord(monitor), view.settings.dialect));
  return answered({ items, ...members }, view);
});

export const deactivateAdminMonitor: OperationHandler = (view) => {
  const found = view.findMonitor(view.call.params['id'] ?? '');
  if (found?.of !== 'administrative') return refused(404, 'MONITOR_NOT_FOUND', 'There is no such monitor.');
  const monitor: Monitor = found.active ? { ...found, active: false, deactivatedAtMs: view.nowMs } : found;
  const data = spell(monitorRecord(monitor), view.settings.dialect);
  const { deactivation } = view.settings.dialect;
  return answeredAs(
    (paid) =>
      deactivation === 'no-content'
        ? { status: 204, headers: {}, body: Buffer.alloc(0) }
        : jsonAnswer(200, envelope(data, paid, view.nowMs)),
    view,
    { effects: found.active ? [{ kind: 'monitor', monitor }] : [] },
  );
};

function created(what: Pick<Monitor, 'of' | 'subject' | 'price' | 'webhookUrl'>, view: View): Verdict {
  const definition: JsonObject = view.call.body;
  const monitor = newMonitor({ ...what, definition }, view.call, view);
  const cnj = what.of === 'case' ? what.subject : '';
  return answeredRecord(monitorRecord(monitor), view, {
    price: what.price,
    cnj,
    effects: [{ kind: 'monitor', monitor }],
    status: 201,
  });
}
