/**
 * The frozen result of `resolveConfig`. Amounts are integers of 1/10,000; an absent limit is no limit; an absent setting
 * was not given, and `workerProblems` / `bridgeProblems` list what a program lacks. Secrets are plain strings in here:
 * print `describe(config)`, never the config.
 */
import type { Amount, ExtraOperation, Gaps, Prices } from '../contract/index.js';
import type { StorePlace } from '../files/index.js';
import type { SecretForm } from './parse-secrets.js';
import type { ListenAddress, LogLevel } from './parse-values.js';
import type { Retention } from './retention.js';
import type { TraceProtocol } from './trace-settings.js';

/** One account of the configuration: its key, what it may spend and how fast, and how the service treats its calls. */
export interface AccountConfig {
  /** Base address of the service. There is no default: a worker does not start without it. */
  readonly apiUrl?: string;
  /** Key of the service, a secret. */
  readonly apiKey?: string;
  /** Name of the variable that holds the key; absent if none is named. */
  readonly apiKeyEnv?: string;
  /** How the key is sent. */
  readonly auth: 'x-api-key' | 'bearer';
  /** Nobody else spends from this balance. */
  readonly exclusive: boolean;
  /** When the service debits a query that answers 202. */
  readonly debitAt: 'answer' | 'completion' | 'unknown';
  /** `never`: the service refunds no single charge, so an unchanged balance proves that nothing was charged. */
  readonly refunds: 'never' | 'unknown';
  /** `free`: a 5xx is known to cost nothing. */
  readonly serverErrors: 'free' | 'unknown';
  /** Cap of all flows of the account together, for one civil day. */
  readonly maxSpendPerDay?: Amount;
  /** Cap of each flow. */
  readonly maxSpendPerFlow?: Amount;
  /** Balance that must remain: calls wait below it. */
  readonly minBalance?: Amount;
  /** Charged calls a minute, of all workers together. */
  readonly requestsPerMinute: number;
  /** Polls of pending work a minute, of all workers together; default: a third of `requestsPerMinute`. */
  readonly pollsPerMinute: number;
  /** Charged calls at the same time. */
  readonly concurrency: number;
  /** Charged calls in a row that may end in 5xx or without an answer before further charged calls wait; 0: no outage is noticed. */
  readonly outageAfter: number;
  /** True: case numbers become tokens in ids and search attributes. */
  readonly maskCnj: boolean;
  /** Whether flows expect webhooks. */
  readonly webhooks: boolean;
  /** Name of the variable that holds the secrets. */
  readonly webhookSecretsEnv?: string;
  /** Name of the variable that holds the tokens. */
  readonly webhookTokensEnv?: string;
  /** Newest first; empty = none. */
  readonly webhookSecrets: readonly string[];
  /** Newest first; empty = none. */
  readonly webhookTokens: readonly string[];
  /** How the secrets are written. */
  readonly webhookSecretForm: SecretForm;
}

/** What `tramita bridge` listens on, and how it is protected. */
export interface BridgeConfig {
  readonly listen: ListenAddress;
  readonly opsListen: ListenAddress;
  /** Memory for all larger bodies in transit together, in MB; 32. */
  readonly bodiesMb: number;
  /** PEM texts. Absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A proxy in front ends TLS (`--behind-proxy`). */
  readonly behindProxy: boolean;
  /** Accept deliveries of accounts without secret and token (`--insecure`). */
  readonly insecure: boolean;
}

/** A Worker Deployment Version of Temporal: the tasks of a flow go to workers of the flow's version. */
export interface DeploymentVersion {
  /** Name of the deployment, the same for all its versions. */
  readonly deploymentName: string;
  /** Id of the build: a new one for each change of the program. */
  readonly buildId: string;
}

/** The whole configuration of an installation, checked and frozen, as {@link resolveConfig} returns it. It holds secrets. */
export interface Config {
  /** By name; inputs that name no account use `default`. */
  readonly accounts: Readonly<Record<string, AccountConfig>>;
  /** Address of PostgreSQL with the password, a secret. */
  readonly databaseUrl?: string;
  /** A worker starts although PostgreSQL may forget what it has confirmed. */
  readonly unsafeDatabase?: true;
  /** The environment disables TLS verification (`NODE_TLS_REJECT_UNAUTHORIZED`). */
  readonly tlsUnverified?: true;
  /** Names of variables whose secret comes from a file that others on the machine may read. */
  readonly openSecretFiles?: readonly string[];
  /** Address of PostgreSQL for the narrow role of the bridge, a secret. */
  readonly bridgeDatabaseUrl?: string;
  /** Address of PostgreSQL for the codec server, a secret; here only `migrate` needs it. */
  readonly codecDatabaseUrl?: string;
  /** Most connections that one worker or bridge opens to PostgreSQL; 4. */
  readonly databaseConnections: number;
  /** Task queue of the flows. */
  readonly taskQueue: string;
  /** The version of these workers; absent: they take the tasks of every flow. */
  readonly deployment?: DeploymentVersion;
  /** Workers serve the flows as a Nexus service too. */
  readonly nexus: boolean;
  /** Hosts that a monitor may post to. */
  readonly webhookUrlHosts: readonly string[];
  /** Settings of the bridge. */
  readonly bridge: BridgeConfig;
  /** Where a worker serves health and metrics; absent: nowhere. */
  readonly workerOpsListen?: ListenAddress;
  /** Where a worker keeps files, journal and spool. */
  readonly filesDir: string;
  /** Where bought files are kept; absent: in `filesDir`. */
  readonly fileStore?: StorePlace;
  /** Origins that signed links may point to besides public https, e.g. `http://127.0.0.1:8790`. */
  readonly downloadHosts: readonly string[];
  /** Key of the tokens in ids, a secret. */
  readonly idKey?: string;
  /** How spans are sent to the collector of OTEL_EXPORTER_OTLP_ENDPOINT; absent: no traces. */
  readonly traces?: TraceProtocol;
  /** The lowest level that is logged. */
  readonly logLevel: LogLevel;
  /** Days that a worker's journal and its answers are kept: as long as a backup may still be restored; 35. */
  readonly journalDays: number;
  /** How long each place keeps its data, in ms; null: forever. */
  readonly retention: Retention;
  /** By operation id, plus `default`. */
  readonly prices: Prices;
  /** Names and values that the interface does not show. */
  readonly gaps: Gaps;
  /** Operations that the interface does not show. */
  readonly operations: readonly ExtraOperation[];
}
