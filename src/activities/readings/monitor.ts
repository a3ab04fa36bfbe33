/** The monitor in an answer: id, status, how it calls back, what it bills. No registration and no term. Pure. */
import { formatAmount, readCaseMonitors } from '../../contract/index.js';
import type { MonitorReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

const MAX_TEXT = 500;

export function readMonitorAnswer({ operation, body }: ReadableAnswer): MonitorReading | undefined {
  // The case monitor's shape has the members that all kinds share.
  const list = readCaseMonitors(body);
  // The answer to a DELETE need not hold a monitor.
  if (list === undefined) return operation.method === 'DELETE' ? { monitors: [] } : undefined;
  const { callback, billing } = list;
  const price = billing.pricePerRegistration ?? list.monitors[0]?.monthlyPrice ?? null;
  return {
    monitors: list.monitors.map(({ id, status, active }) => ({ id: cut(id), status: cut(status) ?? wordOf(active) })),
    ...(callback.enabled === null && callback.mode === null
      ? {}
      : { callback: { enabled: callback.enabled, mode: cut(callback.mode) } }),
    ...(price === null ? {} : { billing: { monthlyPrice: formatAmount(price) } }),
  };
}

/** Keeps the result small, whatever the service writes. */
function cut(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_TEXT);
}

/** Some records show only by a flag whether the monitor is on. */
function wordOf(active: boolean | null): string | null {
  if (active === null) return null;
  return active ? 'active' : 'inactive';
}
