/** What the tests of the client share: a canary key, limits, one charged request, a server per test. */
import { operationOf, type ServiceRequest } from '../../src/contract/index.js';
import {
  createServiceClient,
  type ExchangeLimits,
  type SendOptions,
  type ServiceClient,
} from '../../src/http/index.js';
import { startHostileServer, type HostileServer } from './hostile-server.js';

export const KEY = 'canary-key-8b1f0c';
export const REFRESH = operationOf('requestRefresh');
export const POST: ServiceRequest = {
  method: 'POST',
  target: '/v1/processos/cnj/10000015120268260100/solicitar-atualizacao',
  body: '{}',
};
export const GET: ServiceRequest = { method: 'GET', target: '/v1/conta/saldo' };
export const ENVELOPE = '{"data":{"ok":true},"meta":{"creditsCharged":0.05,"creditsRemaining":9.95,"requestId":"m-1"}}';

/** Client and server share one process. A pause of it must not end a call, unless the test is about limits. */
export const PATIENT: ExchangeLimits = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, maxBytes: 50_000 };
export const SEND: SendOptions = { totalMs: 15_000 };

export function clientOf(
  baseUrl: string,
  extra: { ca?: string; limits?: Partial<ExchangeLimits> } = {},
): ServiceClient {
  return createServiceClient({ baseUrl, apiKey: KEY, auth: 'x-api-key', limits: PATIENT, ...extra });
}

const servers: HostileServer[] = [];

export async function hostile(behaviour: Parameters<typeof startHostileServer>[0]): Promise<HostileServer> {
  const server = await startHostileServer(behaviour);
  servers.push(server);
  return server;
}

/** For `afterEach`. */
export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}
