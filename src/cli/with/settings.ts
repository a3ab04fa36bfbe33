/**
 * Configuration as commands use it: a wrong value ends the command at once, one line per problem, exit code 2. This layer
 * has no defaults of its own; they are all in `config`.
 */
import {
  CONFIG_ERROR,
  ENV,
  bothWays,
  loadCodecConfig,
  loadTemporalConnection,
  resolveConfig,
  tlsProblems,
  type CodecConfig,
  type Config,
  type ConfigError,
  type ConfigOverrides,
  type TemporalConnection,
  type Variable,
} from '../../config/index.js';
import type { CliContext } from '../context.js';
import { usageError } from '../exit-codes.js';

export function readConfig(context: Pick<CliContext, 'env'>, overrides: ConfigOverrides = {}): Config {
  const config = readConfigToShow(context, overrides);
  refuseProblems(tlsProblems(config));
  return config;
}

/** Accepts unverified TLS, for commands that report it themselves. */
export function readConfigToShow({ env }: Pick<CliContext, 'env'>, overrides: ConfigOverrides = {}): Config {
  return orUsageError(() => resolveConfig({ env, overrides }));
}

export function readCodecConfig({ env }: Pick<CliContext, 'env'>): CodecConfig {
  return orUsageError(() => loadCodecConfig(env));
}

function orUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { name, problems } = error as Partial<ConfigError>;
    throw name === CONFIG_ERROR && problems !== undefined ? usageError(problems.join('\n')) : error;
  }
}

export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw usageError(problems.join('\n'));
}

export function readTemporal({ env }: Pick<CliContext, 'env'>): TemporalConnection {
  try {
    return loadTemporalConnection(env);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

export function requireDatabaseUrl(config: Config): string {
  return config.databaseUrl ?? missing(ENV.DATABASE_URL, 'a PostgreSQL URL');
}

/** Called before any server is contacted: without the key nothing can be started. */
export function requireIdKey(config: Config): string {
  return config.idKey ?? missing(ENV.ID_KEY, 'the key that the workers have');
}

function missing(variable: Variable, expected: string): never {
  throw usageError(`${bothWays(variable)} is not set; expected ${expected}`);
}
