/**
 * The settings of the codec server, and nothing else: it holds payload keys, so it never reads API keys, webhook secrets, the id
 * key or the address of the ledger's database, even if its environment has them.
 */
import type { Parsed } from '../protocol/index.js';
import { present } from '../contract/values/index.js';
import { configError } from './config-error.js';
import { ENV, FILE_SUFFIX, VARIABLES, bothWays } from './env-names.js';
import { createEnvReader, type Env } from './env-reader.js';
import { when } from './layers.js';
import { switchesTlsOff, tlsProblems } from './program-problems.js';
import * as values from './parse-values.js';
import type { ListenAddress, LogLevel } from './parse-values.js';

/** The hash of a bearer token that may decode. */
export interface CodecToken {
  /** Name of the token's holder in the access log. */
  readonly name: string;
  /** SHA-256 of the token, 64 hex digits in lower case. */
  readonly sha256: string;
}

/** The issuer whose JWTs may decode. */
export interface OidcSettings {
  /** Exactly as in the tokens (`iss`); its keys are found through `/.well-known/openid-configuration` below it. */
  readonly issuer: string;
  readonly audience: string;
  /** A token needs this value in this claim (text, a list, or words separated by blanks), because an issuer knows many people. */
  readonly claim: { readonly name: string; readonly value: string };
}

export interface CodecConfig {
  readonly listen: ListenAddress;
  /** Origins of the Temporal UIs whose pages may decode; empty: only command lines may. */
  readonly origins: readonly string[];
  /** Empty: the namespace of the Temporal connection. */
  readonly namespaces: readonly string[];
  readonly tokens: readonly CodecToken[];
  readonly oidc?: OidcSettings;
  /** Address of PostgreSQL with the role `tramita_codec`. */
  readonly databaseUrl?: string;
  readonly logLevel: LogLevel;
  /** Names of variables whose secret comes from a file that others on the machine may read. */
  readonly openSecretFiles: readonly string[];
  /** Names of variables with secrets that this program does not need. */
  readonly needless: readonly string[];
  /** The environment disables TLS verification: any host that answers for the issuer could let itself in. */
  readonly tlsUnverified?: true;
}

const DEFAULT_LISTEN = { host: '127.0.0.1', port: 8791 } as const;
const PREFIX = 'TRAMITA_CODEC_';
const NEEDED_SECRETS: readonly string[] = [ENV.CODEC_TOKENS.name, ENV.CODEC_DATABASE_URL.name, ENV.PAYLOAD_KEYS.name];

/** Reads the settings of the codec server. @throws an error with one line per problem, no secret in any. */
export function loadCodecConfig(env: Env): CodecConfig {
  const problems: string[] = [];
  const openSecretFiles: string[] = [];
  const reader = createEnvReader({ env, problems, openSecretFiles });
  problems.push(...reader.unknownVariables([]).filter((problem) => problem.startsWith(PREFIX)));
  const issuer = reader.read(ENV.CODEC_OIDC_ISSUER, parseIssuer);
  const audience = reader.read(ENV.CODEC_OIDC_AUDIENCE, parseText);
  const claim = reader.read(ENV.CODEC_OIDC_CLAIM, parseClaim);
  const oidc = [ENV.CODEC_OIDC_ISSUER, ENV.CODEC_OIDC_AUDIENCE, ENV.CODEC_OIDC_CLAIM];
  const missing = oidc.filter((variable) => !reader.isSet(variable));
  if (missing.length > 0 && missing.length < oidc.length) {
    const names = missing.map(({ name }) => name).join(', ');
    problems.push(`${names}: not set; expected issuer, audience and claim together, or none of them`);
  }
  const config: CodecConfig = {
    listen: reader.read(ENV.CODEC_LISTEN, values.parseListen) ?? DEFAULT_LISTEN,
    origins: reader.read(ENV.CODEC_ORIGINS, values.parseListOf(values.parseOrigin)) ?? [],
    namespaces: reader.read(ENV.CODEC_NAMESPACES, values.parseListOf(parseText)) ?? [],
    tokens: reader.read(ENV.CODEC_TOKENS, parseCodecTokens) ?? [],
    ...present({
      oidc:
        issuer === undefined || audience === undefined || claim === undefined ? undefined : { issuer, audience, claim },
      databaseUrl: reader.read(ENV.CODEC_DATABASE_URL, values.parseDatabaseUrl),
      tlsUnverified: switchesTlsOff(env) ? (true as const) : undefined,
    }),
    logLevel: reader.read(ENV.LOG_LEVEL, values.parseOneOf(values.LOG_LEVELS)) ?? 'info',
    openSecretFiles,
    needless: VARIABLES.filter(({ name, secret }) => secret && !NEEDED_SECRETS.includes(name))
      .flatMap(({ name }) => [name, name + FILE_SUFFIX])
      .filter((name) => (env[name] ?? '') !== ''),
  };
  if (problems.length > 0) throw configError(problems);
  return config;
}

/** What a codec server lacks in these settings, one line each; empty if it can start. Pure. */
export function codecProblems(
  config: CodecConfig,
  { hasKeys, behindProxy }: { readonly hasKeys: boolean; readonly behindProxy: boolean },
): readonly string[] {
  const { tokens, oidc, databaseUrl, listen } = config;
  return [
    ...tlsProblems(config),
    ...when(!hasKeys, `${bothWays(ENV.PAYLOAD_KEYS)} is not set; expected the keys that the workers have`),
    ...when(
      tokens.length === 0 && oidc === undefined,
      `${bothWays(ENV.CODEC_TOKENS)} and ${ENV.CODEC_OIDC_ISSUER.name} are not set, so anyone could read the flows; set one (\`tramita codec-server token --name <who>\` makes a token and its hash)`,
    ),
    ...when(
      databaseUrl === undefined,
      `${bothWays(ENV.CODEC_DATABASE_URL)} is not set; expected a PostgreSQL URL with the role tramita_codec, for the access log`,
    ),
    ...when(
      !values.isLoopback(listen.host) && !behindProxy,
      `the codec server would listen on ${listen.host} without TLS; pass --behind-proxy when a proxy in front terminates TLS`,
    ),
  ];
}

/** Comma list of `name:sha256`. The values are only hashes, but problems do not show them either. */
function parseCodecTokens(text: string): Parsed<readonly CodecToken[]> {
  const expected = '<name>:<SHA-256 of the token, 64 hex digits>, separated by commas';
  const tokens: CodecToken[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, name, sha256] = /^([\w.@-]{1,64}):([0-9a-f]{64})$/.exec(entry.trim().toLowerCase()) ?? [];
    if (name === undefined || sha256 === undefined) return values.bad(`entry ${index + 1} of another form`, expected);
    if (tokens.some((token) => token.sha256 === sha256)) {
      return values.bad(`entry ${index + 1} with the hash of an earlier entry`, 'a separate token for each person');
    }
    tokens.push({ name: entry.trim().slice(0, name.length), sha256 });
  }
  return values.good(tokens);
}

function parseIssuer(text: string): Parsed<string> {
  const parsed = values.parseApiUrl(text);
  return parsed.ok ? values.good(text) : parsed;
}

const parseText = values.parseLike(/^[\x21-\x7e]{1,255}$/, 'visible ASCII characters without spaces');

function parseClaim(text: string): Parsed<OidcSettings['claim']> {
  const [, name, value] = /^([^=\s]{1,255})=(\S{1,255})$/.exec(text) ?? [];
  return name === undefined || value === undefined
    ? values.bad(values.shown(text), '<claim>=<value>, like groups=temporal-readers')
    : values.good({ name, value });
}
