/** Builders for configuration tests: a complete environment, files in memory, and the problems of a refused configuration. */
import {
  resolveConfig,
  type Config,
  type ConfigError,
  type ConfigOverrides,
  type Env,
} from '../../src/config/index.js';

export const SECRET = 'canary-secret-0123456789abcdef';
export const TOKEN = 'canary-token-0123456789abcdef';
export const API_KEY = 'canary-api-key';
export const ID_KEY = 'canary-id-key-0123456789abcdef0123456789';
export const PASSWORD = 'canary-password';

export const COMPLETE: Env = {
  TRAMITA_API_URL: 'https://api.example.com',
  TRAMITA_API_KEY: API_KEY,
  TRAMITA_DATABASE_URL: `postgresql://worker:${PASSWORD}@db.example.com:5432/tramita`,
  TRAMITA_BRIDGE_DATABASE_URL: `postgresql://bridge:${PASSWORD}@db.example.com:5432/tramita`,
  TRAMITA_CODEC_DATABASE_URL: `postgresql://codec:${PASSWORD}@db.example.com:5432/tramita`,
  TRAMITA_WEBHOOK_SECRETS: SECRET,
  TRAMITA_WEBHOOK_TOKENS: TOKEN,
  TRAMITA_ID_KEY: ID_KEY,
};

export interface Given {
  readonly env?: Env;
  /** Content of the file named by TRAMITA_CONFIG: JSON text, or data to be written as JSON. */
  readonly file?: unknown;
  /** Further files by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Permission bits of every file; readable by its owner alone. */
  readonly fileMode?: number;
  readonly overrides?: ConfigOverrides;
}

export function configOf(given: Given = {}): Config {
  const files: Record<string, string> = { ...given.files };
  if (given.file !== undefined) {
    files['/settings.json'] = typeof given.file === 'string' ? given.file : JSON.stringify(given.file);
  }
  return resolveConfig({
    env: { ...(given.file === undefined ? {} : { TRAMITA_CONFIG: '/settings.json' }), ...given.env },
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
      return text;
    },
    fileMode: () => given.fileMode ?? 0o600,
    ...(given.overrides === undefined ? {} : { overrides: given.overrides }),
  });
}

export function problemsOf(given: Given): readonly string[] {
  try {
    configOf(given);
  } catch (error) {
    expect((error as Error).name).toBe('TramitaConfigError');
    expect((error as Error).message).toMatch(/^tramita: the configuration has /);
    return (error as ConfigError).problems;
  }
  return [];
}
