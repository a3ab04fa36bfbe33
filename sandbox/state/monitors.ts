/**
 * Monitors and radars of the accounts. A changed record is replaced and journalled as a whole. This file only stores
 * them; the world bills them and sends their events.
 */
import type { Amount, JsonObject } from '../../src/contract/index.js';
import type { AccountName } from '../keys.js';

/** A monitor is billed per 30 days. */
export const BILLING_MS = 30 * 86_400_000;

export type MonitorKind = 'notices' | 'radar' | 'case' | 'administrative';

/** A monitor or radar of an account, which bills every 30 days while it is active. */
export interface Monitor {
  /** As in the answers. */
  readonly id: string;
  /** Its kind. */
  readonly of: MonitorKind;
  /** Account that is billed. */
  readonly account: AccountName;
  /** Hash of the API key that created it, never the key. */
  readonly keyHash: string;
  /** What is watched: `UF:number`, a term, 20 digits, or a protocol number. */
  readonly subject: string;
  /** The body with which it was created or last changed. */
  readonly definition: JsonObject;
  /** Its own address for events; null: that of the account. */
  readonly webhookUrl: string | null;
  /** Whether it bills and sends events. */
  readonly active: boolean;
  /** Epoch ms by the sandbox's clock. */
  readonly createdAtMs: number;
  /** Epoch ms by the sandbox's clock; null while it is active. */
  readonly deactivatedAtMs: number | null;
  /** Per 30 days. */
  readonly price: Amount;
  /** Epoch ms by the sandbox's clock. */
  readonly lastDebitAtMs: number;
  /** Epoch ms by the sandbox's clock. */
  readonly nextDebitAtMs: number;
  /** `unpaid`: the balance did not cover the last debit, which ended the monitor. */
  readonly billing: 'paid' | 'unpaid';
}

export interface Monitors {
  put(monitor: Monitor): void;
  find(id: string): Monitor | undefined;
  /** Oldest first. */
  list(account: AccountName, of: MonitorKind): readonly Monitor[];
  all(): readonly Monitor[];
}

export function createMonitors(kept: readonly Monitor[]): Monitors {
  const byId = new Map<string, Monitor>();
  const put = (monitor: Monitor): void => void byId.set(monitor.id, monitor);
  kept.forEach(put);
  return {
    put,
    find: (id) => byId.get(id),
    list: (account, of) => [...byId.values()].filter((each) => each.account === account && each.of === of),
    all: () => [...byId.values()],
  };
}
