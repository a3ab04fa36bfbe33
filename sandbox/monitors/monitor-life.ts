/**
 * What a monitor does by itself while it is active: it is debited every 30 days of the sandbox's clock, and it sends
 * events. When the account cannot pay, the monitor ends (the interface is silent about that). Debits that fell due
 * while the sandbox was down are made when it starts again; events of that time are not sent.
 */
import type { SandboxClock } from '../clock.js';
import type { Settings } from '../settings.js';
import type { ChargeBook, ChargeFacts } from '../state/charge-book.js';
import type { Journal } from '../state/journal.js';
import { BILLING_MS, type Monitor, type Monitors } from '../state/monitors.js';
import type { WebhookSender } from '../webhooks/webhook-sender.js';
import { eventsAt, nextEventMs } from './monitor-events.js';

/** The operation that a recurring debit is booked under. */
const BOOKED_AS = {
  notices: 'createNoticeMonitor',
  radar: 'createRadar',
  case: 'createCaseMonitor',
  administrative: 'deactivateAdminMonitor',
} as const;

export interface MonitorLife {
  /** Runs the monitor from now on, until its record is inactive or another active one has replaced it. */
  readonly follow: (monitor: Monitor) => void;
}

export function createMonitorLife(deps: {
  readonly settings: Settings;
  readonly clock: SandboxClock;
  readonly monitors: Monitors;
  readonly book: ChargeBook;
  readonly journal: Journal;
  readonly webhooks: WebhookSender;
}): MonitorLife {
  const { settings, clock, monitors, book, journal, webhooks } = deps;
  /** Active periods that already run, so that a changed record does not run twice. */
  const followed = new Map<string, number>();

  const isCurrent = (monitor: Monitor): boolean => {
    const now = monitors.find(monitor.id);
    return now?.active === true && now.createdAtMs === monitor.createdAtMs;
  };

  const bill = (id: string): void => {
    const monitor = monitors.find(id);
    if (monitor?.active !== true) return;
    const dueMs = monitor.nextDebitAtMs;
    if (book.balance(monitor.account) < monitor.price) {
      const ended: Monitor = { ...monitor, active: false, deactivatedAtMs: dueMs, billing: 'unpaid' };
      journal.append([{ ...ended, kind: 'monitor' }], { durable: true });
      monitors.put(ended);
      return;
    }
    const next: Monitor = { ...monitor, lastDebitAtMs: dueMs, nextDebitAtMs: dueMs + BILLING_MS };
    const { account, keyHash } = monitor;
    const facts: ChargeFacts = {
      operation: BOOKED_AS[monitor.of],
      account,
      keyHash,
      about: monitor.id,
      reason: 'recurring',
      cnj: monitor.of === 'case' ? monitor.subject : '',
      paid: book.quote(account, monitor.price),
      requestId: null,
      bodySha256: null,
      connection: null,
    };
    book.charge(facts, [{ ...next, kind: 'monitor' }]);
    monitors.put(next);
    scheduleBill(next);
  };
  const scheduleBill = (monitor: Monitor): void => clock.at(monitor.nextDebitAtMs, () => bill(monitor.id));

  const scheduleEvents = (monitor: Monitor, afterMs: number): void => {
    const atMs = nextEventMs(monitor, afterMs);
    clock.at(atMs, () => {
      if (!isCurrent(monitor)) return undefined;
      scheduleEvents(monitor, atMs);
      const current = monitors.find(monitor.id) ?? monitor;
      const events = eventsAt(current, atMs, settings);
      return events.length === 0 ? undefined : sendAll(current, events);
    });
  };
  const sendAll = async (monitor: Monitor, events: ReturnType<typeof eventsAt>): Promise<void> => {
    for (const event of events) await webhooks.announce(event, monitor.webhookUrl ?? undefined);
  };

  return {
    follow(monitor) {
      if (!monitor.active || followed.get(monitor.id) === monitor.createdAtMs) return;
      followed.set(monitor.id, monitor.createdAtMs);
      scheduleBill(monitor);
      scheduleEvents(monitor, clock.nowMs());
    },
  };
}
