/**
 * Where Temporal is, by Temporal's own standard: `TEMPORAL_*` variables and the profile file, read by
 * `@temporalio/envconfig`. Nothing connects here. Errors of that library are not passed on: a TOML error quotes the line
 * it stumbled over, which may hold the API key.
 */
import { existsSync } from 'node:fs';
import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConfigProfile,
  type ClientConnectConfig,
} from '@temporalio/envconfig';
import { present } from '../contract/values/index.js';
import { ENV } from './env-names.js';
import { createEnvReader, type Env } from './env-reader.js';
import { parsePayloadKeys, type PayloadKeys } from './payload-keys.js';

const DEFAULT_PORT = 7233;
const DEFAULT_HOST = '127.0.0.1';
/** A host or an IPv6 address in brackets, and perhaps a port. */
const ADDRESS = /^(\[[\da-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i;
const DEFAULT_NAMESPACE = 'default';
/** Only for these variables an empty value has a meaning: it removes a header that the profile sets. */
const GRPC_META = 'TEMPORAL_GRPC_META_';

/** Where Temporal is and how to connect to it, for a client as for a worker. */
export interface TemporalConnection {
  /** `host:port`; default 127.0.0.1:7233. */
  readonly address: string;
  /** Must be given to `Client` and `Worker` as well, because connection options do not contain it. Default: `default`. */
  readonly namespace: string;
  /** For `Connection.connect` and `NativeConnection.connect`. Holds the API key: never print it. */
  readonly connectionOptions: ClientConnectConfig['connectionOptions'] & { readonly address: string };
  /** Keys that payloads are encrypted with, from `TRAMITA_PAYLOAD_KEYS`; absent: they are not encrypted. */
  readonly payloadKeys?: PayloadKeys;
}

/**
 * Reads where Temporal is, by its own standard: `TEMPORAL_*` variables and the profile file; and our `TRAMITA_PAYLOAD_KEYS`.
 * Nothing connects here.
 *
 * @throws when the profile or a file that it names cannot be read, half a client certificate is given, or a payload key is
 * malformed, or the address is no `host:port`.
 */
export function loadTemporalConnection(env: Env): TemporalConnection {
  const configFile = env['TEMPORAL_CONFIG_FILE'];
  if (configFile !== undefined && configFile !== '' && !existsSync(configFile)) {
    throw new Error('tramita: TEMPORAL_CONFIG_FILE names a file that does not exist; expected the path of a TOML file');
  }
  const profile = readProfile(env);
  if ((profile.tls?.clientCert === undefined) !== (profile.tls?.clientKey === undefined)) {
    throw new Error(
      'tramita: only half of the client certificate is set; expected TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH (or client_cert_path and client_key_path in the profile) together',
    );
  }
  const address = completeAddress(profile.address ?? DEFAULT_HOST);
  const { connectionOptions } = orThrow(() => toClientOptions(profile));
  return {
    address,
    namespace: profile.namespace ?? DEFAULT_NAMESPACE,
    connectionOptions: { ...present(connectionOptions), address },
    ...present({ payloadKeys: readPayloadKeys(env) }),
  };
}

/** Temporal's libraries take an address without a port too; every reader of ours gets one. */
function completeAddress(address: string): string {
  const [, host, port = String(DEFAULT_PORT)] = ADDRESS.exec(address) ?? [];
  if (host !== undefined && Number(port) > 0 && Number(port) <= 65_535) return `${host}:${port}`;
  // a user name and password are not shown
  const seen = address.replace(/^.*@/s, '…@').slice(0, 100);
  throw new Error(
    `tramita: TEMPORAL_ADDRESS (or address of the profile): seen ${JSON.stringify(seen)}; expected host:port without a scheme, like 127.0.0.1:7233 (TEMPORAL_TLS=true for TLS)`,
  );
}

function readPayloadKeys(env: Env): PayloadKeys | undefined {
  const problems: string[] = [];
  const keys = createEnvReader({ env, problems }).read(ENV.PAYLOAD_KEYS, parsePayloadKeys);
  if (problems.length > 0) throw new Error(problems.map((problem) => `tramita: ${problem}`).join('\n'));
  return keys;
}

function readProfile(env: Env): ClientConfigProfile {
  const given = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || (value === '' && !name.startsWith(GRPC_META)) ? [] : [[name, value]],
  );
  return orThrow(() => loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(given) }));
}

function orThrow<T>(read: () => T): T {
  let reason: string;
  try {
    return read();
  } catch (error) {
    reason = reasonOf(error);
  }
  throw new Error(
    `tramita: the Temporal settings cannot be read (${reason}); see the TEMPORAL_* variables, the profile file (TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE) and the certificate files that they name`,
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const missing = /^Profile '([^']{0,60})' not found/.exec(String(message))?.[1];
  if (missing !== undefined) return `there is no profile ${JSON.stringify(missing)}`;
  return typeof code === 'string' ? code : 'it is malformed';
}
