/**
 * Overrides, environment and JSON file → one frozen `Config`, or one error with every problem. The environment is passed
 * in: nothing here runs on import, opens a socket or has a default that costs money. A *missing* value is no problem here,
 * so that `config` and `doctor` work with half an environment: `workerProblems` and `bridgeProblems` report it.
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

/** What a program sets on top of its environment, like flags of a command line. */
export interface ConfigOverrides {
  /** By variable name, e.g. from command-line flags; wins over the environment. `undefined`: the environment counts; `""`: unset. */
  readonly values?: Env;
  /** `--behind-proxy`; false. */
  readonly behindProxy?: boolean | undefined;
  /** `--insecure`; false. */
  readonly insecure?: boolean | undefined;
  /** True: API keys are not read, even if the environment has them; for the bridge. */
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
  /** What the caller sets itself; wins over the environment. */
  readonly overrides?: ConfigOverrides;
}

/** Files with secrets that are read with the Temporal settings (a profile may hold an API key). Here only their mode is checked. */
const TEMPORAL_SECRETS = [ENV.PAYLOAD_KEYS.name + FILE_SUFFIX, 'TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_CONFIG_FILE'];

/** The longest time that common database services keep automatic backups. */
const JOURNAL_DAYS = 35;
const CONNECTIONS = 4;
const LOCAL_BRIDGE = { host: '127.0.0.1', port: 8788 } as const;
const LOCAL_BRIDGE_OPS = { host: '127.0.0.1', port: 8789 } as const;
const BODIES_MB = 32;
/** A body has at most 1 MB; the upper limit only catches a number of bytes given as megabytes. */
const LEAST_BODIES_MB = 1;
const MOST_BODIES_MB = 65_536;

/**
 * Reads the configuration from the `TRAMITA_*` variables and the JSON file that `TRAMITA_CONFIG` names, once, into a frozen object.
 *
 * @throws an error named `TramitaConfigError`, one line per problem, no secret in any.
 */
export function resolveConfig(sources: ConfigSources): Config {
  const { env, readFile = readTextFile, fileMode, overrides = {} } = sources;
  const problems: string[] = [];
  const openSecretFiles: string[] = [];
  const reader = createEnvReader({ env, overrides: overrides.values, readFile, fileMode, problems, openSecretFiles });
  const { read, noteSecretFile } = reader;
  const reading: Reading = { reader, readFile, problems };
  for (const name of TEMPORAL_SECRETS) {
    const path = env[name] ?? '';
    if (path !== '') noteSecretFile(name, path);
  }
  const file = readFileSettings(reading);
  const config: Config = {
    accounts: buildAccounts({ reader, withApiKeys: overrides.withoutApiKeys !== true }, file.accounts ?? {}),
    taskQueue: read(ENV.TASK_QUEUE, values.parseTaskQueue) ?? 'tramita',
    nexus: read(ENV.NEXUS, values.parseOneOf(['on', 'off'])) === 'on',
    webhookUrlHosts: read(ENV.WEBHOOK_URL_HOSTS, values.parseListOf(values.parseHost)) ?? [],
    bridge: buildBridge(reading, overrides),
    filesDir: read(ENV.FILES_DIR, values.parsePath) ?? '.tramita/files',
    downloadHosts: read(ENV.DOWNLOAD_HOSTS, values.parseListOf(values.parseOrigin)) ?? [],
    logLevel: read(ENV.LOG_LEVEL, values.parseOneOf(values.LOG_LEVELS)) ?? 'info',
    databaseConnections:
      read(ENV.DATABASE_CONNECTIONS, values.parseWhole(LEAST_CONNECTIONS, MOST_CONNECTIONS)) ??
      file.databaseConnections ??
      CONNECTIONS,
    journalDays: file.journalDays ?? JOURNAL_DAYS,
    retention: buildRetention(file),
    prices: buildPrices(file.prices ?? {}),
    gaps: buildGaps(file.gaps ?? {}),
    operations: file.operations ?? [],
    ...present({
      fileStore: readFileStore(reader, problems),
      databaseUrl: read(ENV.DATABASE_URL, values.parseDatabaseUrl),
      bridgeDatabaseUrl: read(ENV.BRIDGE_DATABASE_URL, values.parseDatabaseUrl),
      codecDatabaseUrl: read(ENV.CODEC_DATABASE_URL, values.parseDatabaseUrl),
      deployment: readDeployment(reading),
      workerOpsListen: read(ENV.WORKER_OPS_LISTEN, values.parseListen),
      idKey: read(ENV.ID_KEY, parseIdKey),
      unsafeDatabase: read(ENV.UNSAFE_DATABASE, values.parseOneOf(['0', '1'])) === '1' ? true : undefined,
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

/** The settings of the JSON file; empty if there is no file, or an unusable one. */
function readFileSettings(reading: Reading): FileSettings {
  const { reader, problems } = reading;
  const settings = parseSettingsFile(reading);
  // An unusable file may name variables too, so no variable can be called unknown.
  if (settings === undefined) return {};
  problems.push(...reader.unknownVariables(accountVariables(settings.accounts ?? {})), ...retentionProblems(settings));
  return settings;
}

function parseSettingsFile({ reader, readFile, problems }: Reading): FileSettings | undefined {
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

function pairProblem({ isSet }: EnvReader, one: Variable, other: Variable): readonly string[] {
  return when(isSet(one) !== isSet(other), `${one.name} and ${other.name} belong together; only one is set`);
}

function readDeployment({ reader, problems }: Reading): DeploymentVersion | undefined {
  const deploymentName = reader.read(ENV.DEPLOYMENT, values.parseDeployment);
  const buildId = reader.read(ENV.BUILD_ID, values.parseTaskQueue);
  problems.push(...pairProblem(reader, ENV.DEPLOYMENT, ENV.BUILD_ID));
  return deploymentName === undefined || buildId === undefined ? undefined : { deploymentName, buildId };
}

function buildBridge(reading: Reading, overrides: ConfigOverrides): BridgeConfig {
  const { reader, problems } = reading;
  const cert = readPem(reading, ENV.BRIDGE_TLS_CERT);
  const key = readPem(reading, ENV.BRIDGE_TLS_KEY);
  problems.push(...pairProblem(reader, ENV.BRIDGE_TLS_CERT, ENV.BRIDGE_TLS_KEY));
  return {
    listen: reader.read(ENV.BRIDGE_LISTEN, values.parseListen) ?? LOCAL_BRIDGE,
    opsListen: reader.read(ENV.BRIDGE_OPS_LISTEN, values.parseListen) ?? LOCAL_BRIDGE_OPS,
    bodiesMb: reader.read(ENV.BRIDGE_BODIES_MB, values.parseWhole(LEAST_BODIES_MB, MOST_BODIES_MB)) ?? BODIES_MB,
    behindProxy: overrides.behindProxy ?? false,
    insecure: overrides.insecure ?? false,
    ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
  };
}

/** The value itself if it is PEM text, else the text of the PEM file that it names. */
function readPem({ reader, readFile }: Reading, variable: Variable): string | undefined {
  return reader.read(variable, (text) => {
    const expected = 'PEM text (-----BEGIN …) or the path of a readable PEM file';
    if (text.includes('-----BEGIN ')) return values.good(text);
    try {
      const pem = readFile(text);
      if (variable === ENV.BRIDGE_TLS_KEY) reader.noteSecretFile(variable.name, text);
      return pem.includes('-----BEGIN ') ? values.good(pem) : values.bad('a file that is not PEM', expected);
    } catch (error) {
      return values.bad(`a path that cannot be read (${errorCode(error)})`, expected);
    }
  });
}
