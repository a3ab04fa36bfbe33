/**
 * Overrides, environment and JSON file → one frozen `Config`, or one error with every problem. The environment is passed
 * in: nothing here runs on import, opens a socket or knows a default that costs money. A value that is *missing* is no
 * problem here, so that `config` and `doctor` work with half an environment: `workerProblems` and `bridgeProblems` tell.
 */
import { present } from '../contract/values/index.js';
import { configError } from './config-error.js';
import { accountVariables, buildAccounts } from './build-accounts.js';
import { buildGaps, buildPrices } from './build-gaps.js';
import { deepFreeze, when } from './layers.js';
import { ENV, FILE_SUFFIX, type Variable } from './env-names.js';
import { createEnvReader, readTextFile, type Env, type EnvReader, type FileMode, type ReadFile } from './env-reader.js';
import { errorCode } from './error-code.js';
import { LEAST_CONNECTIONS, MOST_CONNECTIONS, type FileSettings } from './file-schema.js';
import { parseFile } from './parse-file.js';
import { readFileStore } from './parse-files.js';
import { parseIdKey } from './parse-secrets.js';
import * as values from './parse-values.js';
import { switchesTlsOff } from './program-problems.js';
import { buildRetention, retentionProblems } from './retention.js';
import { readTraceProtocol } from './trace-settings.js';
import type { BridgeConfig, Config, DeploymentVersion } from './types.js';

/** What a program sets over its environment, like flags of a command line. */
export interface ConfigOverrides {
  /** By variable name, e.g. from command-line flags; wins over the environment. `undefined` drops, `""` unsets. */
  readonly values?: Env;
  /** `--behind-proxy`; false. */
  readonly behindProxy?: boolean | undefined;
  /** `--insecure`; false. */
  readonly insecure?: boolean | undefined;
  /** True: API keys are neither read nor kept, whatever the environment has; for the bridge. */
  readonly withoutApiKeys?: boolean;
}

/** Where the configuration comes from: usually `{ env: process.env }`. */
export interface ConfigSources {
  /** The environment, usually `process.env`. */
  readonly env: Env;
  /** Reads a text file, for `TRAMITA_CONFIG`, `X_FILE` and PEM paths. Default: the file system. */
  readonly readFile?: ReadFile;
  /** Permission bits of a file, for the secret ones. Default: the file system. */
  readonly fileMode?: FileMode;
  /** What the caller says himself, above the environment. */
  readonly overrides?: ConfigOverrides;
}

/** Read with the Temporal settings, by another reader: a profile may have an API key, and here it is only looked who may read it. */
const SECRET_ELSEWHERE = [ENV.PAYLOAD_KEYS.name + FILE_SUFFIX, 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_CONFIG_FILE'];

/** The longest that the common services keep backups by themselves. */
const JOURNAL_DAYS = 35;
const CONNECTIONS = 4;
const LOCAL_BRIDGE = { host: '127.0.0.1', port: 8788 } as const;
const LOCAL_BRIDGE_OPS = { host: '127.0.0.1', port: 8789 } as const;
const BODIES_MB = 32;
/** A body has at most 1 MB; the upper end only catches bytes written as megabytes. */
const LEAST_BODIES_MB = 1;
const MOST_BODIES_MB = 65_536;

/**
 * Reads the configuration from the `TRAMITA_*` variables and the JSON file that `TRAMITA_CONFIG` names, once, into a frozen object.
 *
 * @throws an error named `TramitaConfigError`, one line per problem, no secret in any.
 */
export function resolveConfig(sources: ConfigSources): Config {
  const problems: string[] = [];
  const { env, readFile = readTextFile, fileMode, overrides = {} } = sources;
  const openSecretFiles: string[] = [];
  const reader = createEnvReader({ env, overrides: overrides.values, readFile, fileMode, problems, openSecretFiles });
  for (const name of SECRET_ELSEWHERE) {
    const path = env[name] ?? '';
    if (path !== '') reader.noteSecretFile(name, path);
  }
  const reading = { reader, readFile, problems };
  const read = readSettings(reading);
  const file: FileSettings = read ?? {};
  const { accounts = {}, prices = {}, gaps = {}, operations = [] } = file;
  // A file that could not be read may name variables: then it is not known which ones are wrong.
  if (read !== undefined) problems.push(...reader.unknownVariables(accountVariables(accounts)));
  problems.push(...retentionProblems(file));
  const secretForm = reader.read(ENV.WEBHOOK_SECRET_FORM, values.parseOneOf(['utf8', 'hex'])) ?? 'utf8';
  const config: Config = {
    accounts: buildAccounts({ reader, secretForm, withApiKeys: overrides.withoutApiKeys !== true }, accounts),
    taskQueue: reader.read(ENV.TASK_QUEUE, values.parseTaskQueue) ?? 'tramita',
    nexus: reader.read(ENV.NEXUS, values.parseOneOf(['on', 'off'])) === 'on',
    webhookUrlHosts: reader.read(ENV.WEBHOOK_URL_HOSTS, values.parseListOf(values.parseHost)) ?? [],
    bridge: buildBridge(reading, overrides),
    filesDir: reader.read(ENV.FILES_DIR, values.parsePath) ?? '.tramita/files',
    downloadHosts: reader.read(ENV.DOWNLOAD_HOSTS, values.parseListOf(values.parseOrigin)) ?? [],
    logLevel: reader.read(ENV.LOG_LEVEL, values.parseOneOf(values.LOG_LEVELS)) ?? 'info',
    prices: buildPrices(prices),
    journalDays: file.journalDays ?? JOURNAL_DAYS,
    databaseConnections:
      reader.read(ENV.DATABASE_CONNECTIONS, values.parseWhole(LEAST_CONNECTIONS, MOST_CONNECTIONS)) ??
      file.databaseConnections ??
      CONNECTIONS,
    retention: buildRetention(file),
    gaps: buildGaps(gaps),
    operations,
    ...present({
      fileStore: readFileStore(reader, problems),
      databaseUrl: reader.read(ENV.DATABASE_URL, values.parseDatabaseUrl),
      bridgeDatabaseUrl: reader.read(ENV.BRIDGE_DATABASE_URL, values.parseDatabaseUrl),
      codecDatabaseUrl: reader.read(ENV.CODEC_DATABASE_URL, values.parseDatabaseUrl),
      deployment: readDeployment(reading),
      workerOpsListen: reader.read(ENV.WORKER_OPS_LISTEN, values.parseListen),
      idKey: reader.read(ENV.ID_KEY, parseIdKey),
      unsafeDatabase: reader.read(ENV.UNSAFE_DATABASE, values.parseOneOf(['0', '1'])) === '1' ? true : undefined,
      tlsUnverified: switchesTlsOff(env) ? true : undefined,
      traces: readTraceProtocol(env, problems),
      openSecretFiles: openSecretFiles.length === 0 ? undefined : openSecretFiles,
    }),
  };
  if (problems.length > 0) throw configError(problems);
  return deepFreeze(config);
}

interface Reading {
  readonly reader: EnvReader;
  readonly readFile: ReadFile;
  readonly problems: string[];
}

function readSettings({ reader, readFile, problems }: Reading): FileSettings | undefined {
  const path = reader.read(ENV.CONFIG_FILE, values.parsePath);
  if (path === undefined) return reader.isSet(ENV.CONFIG_FILE) ? undefined : {};
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    problems.push(
      `${ENV.CONFIG_FILE.name}: seen ${values.shown(path)}, which cannot be read (${errorCode(error)}); expected a JSON file`,
    );
    return undefined;
  }
  const parsed = parseFile(text);
  if (parsed.ok) return parsed.settings;
  problems.push(...parsed.problems);
  return undefined;
}

function halfProblem({ isSet }: EnvReader, one: Variable, other: Variable): readonly string[] {
  return when(isSet(one) !== isSet(other), `${one.name} and ${other.name} belong together; only one is set`);
}

function readDeployment({ reader, problems }: Reading): DeploymentVersion | undefined {
  const deploymentName = reader.read(ENV.DEPLOYMENT, values.parseDeployment);
  const buildId = reader.read(ENV.BUILD_ID, values.parseTaskQueue);
  problems.push(...halfProblem(reader, ENV.DEPLOYMENT, ENV.BUILD_ID));
  return deploymentName === undefined || buildId === undefined ? undefined : { deploymentName, buildId };
}

function buildBridge(reading: Reading, overrides: ConfigOverrides): BridgeConfig {
  const { reader, problems } = reading;
  const cert = readPem(reading, ENV.BRIDGE_TLS_CERT);
  const key = readPem(reading, ENV.BRIDGE_TLS_KEY);
  problems.push(...halfProblem(reader, ENV.BRIDGE_TLS_CERT, ENV.BRIDGE_TLS_KEY));
  return {
    listen: reader.read(ENV.BRIDGE_LISTEN, values.parseListen) ?? LOCAL_BRIDGE,
    opsListen: reader.read(ENV.BRIDGE_OPS_LISTEN, values.parseListen) ?? LOCAL_BRIDGE_OPS,
    bodiesMb: reader.read(ENV.BRIDGE_BODIES_MB, values.parseWhole(LEAST_BODIES_MB, MOST_BODIES_MB)) ?? BODIES_MB,
    behindProxy: overrides.behindProxy ?? false,
    insecure: overrides.insecure ?? false,
    ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
  };
}

/** PEM text as it is, or the text of the PEM file that the value names. */
function readPem({ reader, readFile }: Reading, variable: Variable): string | undefined {
  return reader.read(variable, (text) => {
    const expected = 'PEM text (-----BEGIN …) or the path of a readable PEM file';
    if (text.includes('-----BEGIN ')) return values.good(text);
    try {
      const pem = readFile(text);
      if (variable === ENV.BRIDGE_TLS_KEY) reader.noteSecretFile(variable.name, text);
      return pem.includes('-----BEGIN ') ? values.good(pem) : values.bad('a file that is no PEM', expected);
    } catch (error) {
      return values.bad(`a path that cannot be read (${errorCode(error)})`, expected);
    }
  });
}
