/**
 * Explains why a connection to Temporal fails, with a cure: gRPC itself says only that the server is unavailable. It tries the
 * address, then the TLS handshake with the settings of the connection. Only after a verified handshake it sends the API key.
 */
import { connect as connectPlain, isIP } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { TemporalConnection } from '../config/index.js';
import { connectClientNow } from './connect-client.js';
import { hasGrpcCode } from './grpc-code.js';
import { codeIn, final, notThere, tlsProblem, type ConnectionProblem } from './tls-problem.js';

const WITHIN_MS = 3_000;
/** With TLS 1.3 a server refuses a client certificate after the handshake. */
const REFUSES_WITHIN_MS = 300;
/** An alert of the server, which therefore speaks TLS. */
const REFUSES_CLIENT = /^ERR_SSL_.*ALERT/;

export async function connectionProblem(temporal: TemporalConnection): Promise<ConnectionProblem> {
  const { address, connectionOptions } = temporal;
  const { tls, apiKey } = connectionOptions;
  const settings = tls === true ? {} : tls === false ? undefined : (tls ?? undefined);
  // An API key alone enables TLS.
  if (settings === undefined && apiKey === undefined) return plainProblem(address);
  const code = await handshakeError(address, {
    ca: bytes(settings?.serverRootCACertificate),
    cert: bytes(settings?.clientCertPair?.crt),
    key: bytes(settings?.clientCertPair?.key),
    servername: settings?.serverNameOverride ?? (isIP(hostOf(address)) === 0 ? hostOf(address) : undefined),
  });
  if (code !== undefined) return tlsProblem(address, code, settings?.clientCertPair !== undefined);
  return (await isKeyRefused(temporal)) ? final(refusedText(temporal.namespace)) : notThere(address);
}

async function isKeyRefused(temporal: TemporalConnection): Promise<boolean> {
  try {
    await (await connectClientNow(temporal, WITHIN_MS)).close();
    return false;
  } catch (error) {
    return isRefused(error);
  }
}

async function plainProblem(address: string): Promise<ConnectionProblem> {
  const code = await handshakeError(address, { rejectUnauthorized: false });
  if (code !== undefined && !REFUSES_CLIENT.test(code)) return notThere(address);
  return final(
    `${address} speaks TLS; set TEMPORAL_TLS=true, and TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH where it asks for a client certificate`,
  );
}

/** Whether the server does not know us or does not admit us: gRPC's UNAUTHENTICATED and PERMISSION_DENIED. */
export function isRefused(error: unknown): boolean {
  return hasGrpcCode(error, 16, 7);
}

/** Pure. */
export function refusedText(namespace: string): string {
  return `Temporal refuses us in namespace "${namespace}"; set TEMPORAL_API_KEY (or api_key of the profile) to a key that may use it, and TEMPORAL_NAMESPACE as "name.account" in Temporal Cloud`;
}

/** `server`: by the name that the reader knows. Pure. */
export function noNamespaceText(server: string, namespace: string): string {
  return `${server} has no namespace "${namespace}"; set TEMPORAL_NAMESPACE, or create it`;
}

/** The error code of connecting with TLS; undefined if the server accepts the handshake. */
async function handshakeError(address: string, options: ConnectionOptions): Promise<string | undefined> {
  const [host, port] = [hostOf(address), Number(address.slice(address.lastIndexOf(':') + 1))];
  // First a plain connection, which shows whether the host is known and listens.
  const unreachable = await socketError(connectPlain({ host, port }), 'connect', 0);
  if (unreachable !== undefined) return unreachable;
  try {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const socket = connectTls({ ...given, host, port, ALPNProtocols: ['h2'] });
    return await socketError(socket, 'secureConnect', REFUSES_WITHIN_MS);
  } catch (error) {
    return codeIn(error);
  }
}

function socketError(
  socket: ReturnType<typeof connectPlain> | TLSSocket,
  event: 'connect' | 'secureConnect',
  lingerMs: number,
): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve) => {
    const late = setTimeout(() => resolve('SILENT'), WITHIN_MS);
    const end = (code: string | undefined): void => {
      clearTimeout(late);
      resolve(code);
    };
    socket.once('error', (error) => end(codeIn(error)));
    socket.once(event, () => {
      socket.once('close', () => end('closed after the handshake'));
      setTimeout(() => end(undefined), lingerMs);
    });
  }).finally(() => socket.destroy());
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

function bytes(value: Uint8Array | undefined): Buffer | undefined {
  return value === undefined ? undefined : Buffer.from(value);
}
