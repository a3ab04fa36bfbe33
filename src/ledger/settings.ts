/** What configuration says about money. */
import type { Amount, Catalogue, Gaps, Prices } from '../contract/index.js';
import type { Database } from '../store/index.js';
import type { LifeMemory } from './life/life-memory.js';

export interface LedgerSettings {
  /** Limits of one account, in amounts; absent = no limit. */
  readonly accounts: Readonly<
    Record<
      string,
      {
        readonly maxSpendPerDay?: Amount;
        readonly maxSpendPerFlow?: Amount;
        readonly minBalance?: Amount;
        /** Charged calls in a row that may end in 5xx or without an answer before further ones wait; 0: none ever wait. */
        readonly outageAfter?: number;
      }
    >
  >;
  /** Configured prices by operation id; `default` where nothing else is known. */
  readonly prices: Prices;
}

export interface LedgerDependencies {
  readonly db: Database;
  /** Keyed HMAC over canonical JSON; `kind` keeps tokens of different things apart. */
  readonly token: (kind: string, value: unknown) => string;
  readonly settings: LedgerSettings;
  /** Built-in and configured operations. */
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  /** Epoch ms. */
  readonly clock: () => number;
  /** What this process knows of the database's life; default: nothing, so only the database itself shows a change. */
  readonly memory?: LifeMemory;
}

/** Dependencies of the ledger's own files. */
export type LedgerContext = Required<LedgerDependencies> & {
  /** The highest charge that this process knows, by account and operation; null: there is none. */
  readonly highestCharges: Map<string, Amount | null>;
};
