/**
 * The frozen result of `resolveConfig`. Amounts are integers of 1/10,000; an absent limit is no limit; an absent setting
 * was not given, and `workerProblems` / `bridgeProblems` tell what a program misses. Secrets are plain strings in here:
 * print `describe(config)`, never the config.
 */
import type { Amount, ExtraOperation, Gaps, Prices } from '../contract/index.js';
import type { StorePlace } from '../files/index.js';
import type { SecretForm } from './parse-secrets.js';
import type { ListenAddress, LogLevel } from './parse-values.js';
import type { Retention } from './retention.js';

/** One account of the configuration: where its key is, what it may spend and how fast, what the service does with its calls. */
export interface AccountConfig {
  readonly apiUrl?: string;
  readonly apiKey?: string;
  /** Name of the variable that holds the key; absent when nobody named one. */
  readonly apiKeyEnv?: string;
  readonly auth: 'x-api-key' | 'bearer';
  /** Nobody else spends from this balance. */
  readonly exclusive: boolean;
  /** When the service debits a query that answers 202. */
  readonly debitAt: 'answer' | 'completion' | 'unknown';
  /** `never`: the service gives back no single charge, so an unchanged balance proves that nothing was charged. */
  readonly refunds: 'never' | 'unknown';
  /** `free`: a 5xx is known to cost nothing. */
  readonly serverErrors: 'free' | 'unknown';
  readonly maxSpendPerDay?: Amount;
  readonly maxSpendPerFlow?: Amount;
  readonly minBalance?: Amount;
  /** Charged calls a minute, of all workers together. */
  readonly requestsPerMinute: number;
  /** Polls of pending work a minute, of all workers together; a third of `requestsPerMinute` where nothing is said. */
  readonly pollsPerMinute: number;
  /** Charged calls at the same time. */
  readonly concurrency: number;
  /** Charged calls in a row that may end in 5xx or without an answer before further ones wait; 0: none ever wait. */
  readonly outageAfter: number;
  /** True: case numbers become tokens in ids and search attributes. */
  readonly maskCnj: boolean;
  /** Whether flows expect webhooks. */
  readonly webhooks: boolean;
  readonly webhookSecretsEnv?: string;
  readonly webhookTokensEnv?: string;
  /** Newest first; empty = none. */
  readonly webhookSecrets: readonly string[];
  readonly webhookTokens: readonly string[];
  readonly webhookSecretForm: SecretForm;
}

/** What `tramita bridge` listens on, and how it is protected. */
export interface BridgeConfig {
  readonly listen: ListenAddress;
  readonly opsListen: ListenAddress;
  /** What all larger bodies that are under way may hold together, in MB; 32. */
  readonly bodiesMb: number;
  /** PEM texts. Absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A proxy in front ends TLS (`--behind-proxy`). */
  readonly behindProxy: boolean;
  /** Accept deliveries of accounts without secret and token (`--insecure`). */
  readonly insecure: boolean;
}

/** The whole configuration of an installation, checked and frozen, as {@link resolveConfig} returns it. It holds secrets. */
export interface Config {
  readonly accounts: Readonly<Record<string, AccountConfig>>;
  readonly databaseUrl?: string;
  /** A worker starts although PostgreSQL may forget what it has confirmed. */
  readonly unsafeDatabase?: true;
  /** The environment switches the verification of TLS off (`NODE_TLS_REJECT_UNAUTHORIZED`). */
  readonly tlsUnverified?: true;
  /** Names of variables whose secret comes from a file that others on the machine may read. */
  readonly openSecretFiles?: readonly string[];
  readonly bridgeDatabaseUrl?: string;
  /** Of the codec server; only `migrate` needs it here. */
  readonly codecDatabaseUrl?: string;
  /** Connections that one worker or bridge keeps to PostgreSQL at most; 4. */
  readonly databaseConnections: number;
  readonly taskQueue: string;
  readonly webhookUrlHosts: readonly string[];
  readonly bridge: BridgeConfig;
  readonly workerOpsListen?: ListenAddress;
  readonly filesDir: string;
  /** Where bought files are kept; absent: in `filesDir`. */
  readonly fileStore?: StorePlace;
  /** Origins, e.g. `http://127.0.0.1:8790`. */
  readonly downloadHosts: readonly string[];
  readonly idKey?: string;
  readonly logLevel: LogLevel;
  /** How long a worker's journal and its answers are kept: as long as a backup may still be restored; 35. */
  readonly journalDays: number;
  /** How long each place keeps what it has, in ms; null: forever. */
  readonly retention: Retention;
  /** Per operation id, plus `default`. */
  readonly prices: Prices;
  /** Everything that the interface does not show. */
  readonly gaps: Gaps;
  readonly operations: readonly ExtraOperation[];
}
