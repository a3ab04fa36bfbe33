/** Records of monitors: how they begin, and how they are shown (members as observed). Pure. */
import { formatCnj } from '../../src/contract/index.js';
import { amountNumber } from '../answer.js';
import { BILLING_MS, type Monitor } from '../state/monitors.js';
import type { OperationCall, View } from './types.js';

export function newMonitor(
  what: Pick<Monitor, 'of' | 'subject' | 'definition' | 'price' | 'webhookUrl'>,
  { account, keyHash }: Pick<OperationCall, 'account' | 'keyHash'>,
  view: Pick<View, 'newId' | 'nowMs'>,
): Monitor {
  return { id: view.newId(), ...what, account, keyHash, ...billedFrom(view.nowMs) };
}

/** Active and paid for from this moment on: the monitor was created or activated again. */
export function billedFrom(
  nowMs: number,
): Pick<Monitor, 'active' | 'createdAtMs' | 'deactivatedAtMs' | 'lastDebitAtMs' | 'nextDebitAtMs' | 'billing'> {
  const times = { createdAtMs: nowMs, deactivatedAtMs: null, lastDebitAtMs: nowMs, nextDebitAtMs: nowMs + BILLING_MS };
  return { active: true, ...times, billing: 'paid' };
}

/** `webhook_url` of a body that has already been checked. */
export function webhookUrlOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function billingRecord(monitor: Monitor): Record<string, unknown> {
  return {
    recorrencia: 'MENSAL',
    valorMensal: amountNumber(monitor.price),
    moeda: 'BRL',
    proximoDebitoEm: monitor.active ? new Date(monitor.nextDebitAtMs).toISOString() : null,
    ultimoDebitoEm: new Date(monitor.lastDebitAtMs).toISOString(),
    status: !monitor.active ? (monitor.billing === 'unpaid' ? 'INADIMPLENTE' : 'ENCERRADA') : 'ATIVA',
  };
}

export function monitorRecord(monitor: Monitor): Record<string, unknown> {
  const [estado, numero] = monitor.subject.split(':');
  return {
    id: monitor.id,
    status: monitor.active ? 'ACTIVE' : 'INACTIVE',
    ativo: monitor.active,
    ...(monitor.of === 'notices' ? { estado, numero, callbackEnabled: monitor.webhookUrl !== null } : {}),
    ...(monitor.of === 'case' ? { numeroCnj: formatCnj(monitor.subject) } : {}),
    ...(monitor.of === 'administrative' ? { nup: monitor.subject } : {}),
    termo: monitor.subject,
    ...Object.fromEntries(Object.entries(monitor.definition).filter(([name]) => !RESERVED.has(name))),
    webhook_url: monitor.webhookUrl,
    cobranca: billingRecord(monitor),
    criadoEm: new Date(monitor.createdAtMs).toISOString(),
    desativadoEm: monitor.deactivatedAtMs === null ? null : new Date(monitor.deactivatedAtMs).toISOString(),
  };
}

/** A definition comes from outside and must not overwrite the service's own members of the monitor. */
const RESERVED = new Set(
  'id status ativo estado numero callbackEnabled numeroCnj nup webhook_url cobranca criadoEm desativadoEm'.split(' '),
);
