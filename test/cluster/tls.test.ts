/**
 * Temporal behind TLS, as Temporal Cloud is: a real server that wants client certificates (`global.tls`), and in front of it an
 * endpoint for API keys. Worker, bridge, commands, doctor and plugin connect; wrong settings are reported with their fix.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Client } from '@temporalio/client';
import { NODE_PORTS, startNode, watchFrontend, type NodePorts } from '../../soak/cluster/node.js';
import { makeNamespace, makeSchemas } from '../../soak/cluster/servers.js';
import { postgresUp } from '../../soak/servers.js';
import { resolveConfig, loadTemporalConnection } from '../../src/config/index.js';
import { chargedWorkerOptions, TramitaPlugin } from '../../src/index.js';
import { cachedClusterServer, freePort } from '../../src/local/index.js';
import { connectClient } from '../../src/temporal-client/index.js';
import { startSandbox, type Sandbox } from '../../sandbox/index.js';
import { migrate } from '../../src/store/index.js';
import { newCase } from '../support/case-number.js';
import { runCommand } from '../cli/run-command.js';
import { makeAuthority, makePair, read, type Pair } from './certificates.js';
import { openKeyGate, type KeyGate } from './key-gate.js';
import { startCommand } from './start-command.js';

const quiet = (): void => undefined;
const tools = cachedClusterServer(process.env);
if (tools === undefined)
  process.stderr.write('tls: skipped, its Temporal server is not built; `npm run cluster` builds it\n');

(tools === undefined ? describe.skip : describe)('a Temporal server with TLS', () => {
  const KEY = 'api-key-of-the-test';
  const NAMESPACE = 'default';
  const closers: (() => unknown)[] = [];
  let folder: string;
  let authority: Pair;
  let client: Pair;
  let stranger: Pair;
  let address: string;
  let gate: KeyGate;
  let sandbox: Sandbox;
  let databaseUrl: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tramita-tls-'));
    chmodSync(folder, 0o711);
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    authority = makeAuthority(folder, 'authority');
    const server = makePair(folder, 'server', authority);
    client = makePair(folder, 'client', authority);
    stranger = makePair(folder, 'stranger', makeAuthority(folder, 'elsewhere'));

    const postgres = await postgresUp(folder);
    closers.push(() => postgres.stop());
    databaseUrl = postgres.url;
    await makeSchemas(databaseUrl, tools!);
    const free: Partial<Record<keyof NodePorts, number>> = {};
    for (const name of NODE_PORTS) free[name] = await freePort();
    const ports = free as NodePorts;
    address = `127.0.0.1:${ports.frontendGrpc}`;
    const pair = { crt: read(client.cert), key: read(client.key) };
    const tls = { serverRootCACertificate: read(authority.cert), clientCertPair: pair };
    const target = watchFrontend(address, tls);
    const clientOfServer = { serverName: '127.0.0.1', rootCaFiles: [authority.cert] };
    const node = await startNode(
      {
        host: '127.0.0.1',
        ports,
        databaseUrl,
        folder,
        tls: {
          frontend: {
            server: {
              certFile: server.cert,
              keyFile: server.key,
              requireClientAuth: true,
              clientCaFiles: [authority.cert],
            },
            client: clientOfServer,
          },
          systemWorker: { certFile: client.cert, keyFile: client.key, client: clientOfServer },
        },
      },
      { server: tools!.server, target, onExit: () => undefined },
    );
    closers.push(
      () => target.close(),
      () => node.stop(),
    );
    await makeNamespace(address, tls);

    gate = await openKeyGate({
      key: KEY,
      target: address,
      tls: { cert: read(server.cert), key: read(server.key) },
      targetTls: { ca: read(authority.cert), cert: pair.crt, key: pair.key, servername: 'localhost' },
    });
    sandbox = await startSandbox({ refreshMs: 300, pollAfterMs: 200 });
    closers.push(
      () => sandbox.close(),
      () => gate.close(),
    );
    await migrate(databaseUrl, { bridgeUrl: bridgeUrl() });
  }, 300_000);
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  const bridgeUrl = (): string => databaseUrl.replace(/\/\/[^@]+@/, '//tramita_bridge:of-the-test@');
  const trusted = (): Record<string, string> => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.cert });
  const withPair = ({ cert, key }: Pair): Record<string, string> => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  });
  /** The two ways of docs/deploy.md. */
  const ways = (): Record<'mTLS' | 'API key', Record<string, string>> => ({
    mTLS: { TEMPORAL_ADDRESS: address, ...trusted(), ...withPair(client) },
    'API key': { TEMPORAL_ADDRESS: gate.address, ...trusted(), TEMPORAL_API_KEY: KEY },
  });
  const settings = (place: string): Record<string, string> => ({
    TRAMITA_API_URL: sandbox.url,
    TRAMITA_API_KEY: 'sandbox-key',
    TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
    TRAMITA_DATABASE_URL: databaseUrl,
    TRAMITA_TASK_QUEUE: place,
    TRAMITA_FILES_DIR: join(folder, place),
    TRAMITA_DOWNLOAD_HOSTS: sandbox.documentsUrl,
  });

  it.each(['mTLS', 'API key'] as const)('accepts worker, bridge and commands by %s', async (way) => {
    const env = { ...settings(`by-${way.replace(' ', '-')}`), ...ways()[way] };
    const worker = await startCommand(['worker', '--json'], env);
    closers.push(worker.kill);
    const bridge = await startCommand(['bridge', '--json'], {
      ...ways()[way],
      TRAMITA_BRIDGE_DATABASE_URL: bridgeUrl(),
      TRAMITA_WEBHOOK_SECRETS: 'secret-of-the-test-0123456789',
      TRAMITA_BRIDGE_LISTEN: '127.0.0.1:0',
      TRAMITA_BRIDGE_OPS_LISTEN: '127.0.0.1:0',
    });
    closers.push(bridge.kill);
    const run = await runCommand(['start', 'refreshCase', '--cnj', newCase(), '--wait'], env);
    expect({ exitCode: run.exitCode, err: run.exitCode === 0 ? '' : run.err }).toEqual({ exitCode: 0, err: '' });
    expect(run.json()).toMatchObject({ status: 'done' });
    const doctor = await runCommand(['doctor'], env);
    expect(doctor.out).toContain(`Temporal: ${env['TEMPORAL_ADDRESS'] ?? ''}, namespace "${NAMESPACE}"`);
    expect((await runCommand(['list'], env)).exitCode).toBe(0);
    expect(bridge.log()).not.toContain('certificate');
    await Promise.all([worker.stop(), bridge.stop()]);
  });

  it('accepts a user’s own worker with the plugin', async () => {
    const env = { ...settings('plugin'), ...ways().mTLS };
    const temporal = loadTemporalConnection(env);
    const config = resolveConfig({ env });
    const plugin = new TramitaPlugin({ config, temporal, log: { info: quiet, warn: quiet, error: quiet } });
    const native = await NativeConnection.connect({ ...temporal.connectionOptions, plugins: [plugin] });
    const common = { connection: native, namespace: NAMESPACE, plugins: [plugin] };
    const workflowsPath = join(__dirname, '..', '..', 'src', 'workflows', 'index.ts');
    const workers = [
      await Worker.create({ ...common, taskQueue: 'plugin', workflowsPath }),
      await Worker.create({ ...common, ...chargedWorkerOptions(config, 'default') }),
    ];
    const running = Promise.all(workers.map((worker) => worker.run()));
    const connection = connectClient(temporal);
    const handle = await new Client({ connection, namespace: NAMESPACE }).workflow.start('refreshCase', {
      taskQueue: 'plugin',
      workflowId: 'by-plugin',
      args: [{ cnj: newCase() }],
    });
    const result: unknown = await handle.result();
    expect(result).toMatchObject({ status: 'done' });
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
    await native.close();
  });

  it('gets the API key with every call, and the namespace with every call about a namespace', () => {
    expect(gate.seen.length).toBeGreaterThan(20);
    expect(new Set(gate.seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${KEY}`]));
    const about = gate.seen.filter(({ path }) => !/GetSystemInfo|grpc\.health/.test(path));
    expect(about.filter(({ namespace }) => namespace !== NAMESPACE)).toEqual([]);
  });

  it.each([
    [
      'a certificate of another authority',
      () => ({ ...ways().mTLS, ...withPair(stranger) }),
      /refuses the client certificate \(\w+\); set TEMPORAL_TLS_CLIENT_CERT_PATH/,
    ],
    [
      'no certificate',
      () => ({ TEMPORAL_ADDRESS: address, ...trusted() }),
      /asks for a client certificate \(\w+\); set TEMPORAL_TLS_CLIENT_CERT_PATH/,
    ],
    [
      'a key of another certificate',
      () => ({ ...ways().mTLS, TEMPORAL_TLS_CLIENT_KEY_PATH: stranger.key }),
      /PEM files that belong together/,
    ],
    [
      'an authority that is not set',
      () => ({ TEMPORAL_ADDRESS: address, ...withPair(client) }),
      /is not trusted \(\w+\); set TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
    ],
    [
      'another server name',
      () => ({ ...ways().mTLS, TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com' }),
      /is for another name \(\w+\); set TEMPORAL_TLS_SERVER_NAME/,
    ],
    ['no TLS', () => ({ TEMPORAL_ADDRESS: address }), /speaks TLS; set TEMPORAL_TLS=true/],
    [
      'TLS to a server without TLS',
      () => ({ ...ways().mTLS, TEMPORAL_ADDRESS: new URL(sandbox.url).host }),
      /speaks no TLS \(\w+\); remove the TEMPORAL_TLS settings/,
    ],
    [
      'a wrong API key',
      () => ({ ...ways()['API key'], TEMPORAL_API_KEY: 'wrong-key' }),
      /refuses us in namespace "default"; set TEMPORAL_API_KEY/,
    ],
  ])('cannot be reached with %s, and our programs say what is wrong and what to set', async (_what, way, text) => {
    const env = { ...settings('wrong'), ...way() };
    const [list, doctor, worker] = await Promise.all([
      runCommand(['list'], env),
      runCommand(['doctor'], env),
      startCommand(['worker', '--json'], env).then(
        () => 'it is ready',
        (error: unknown) => (error as Error).message,
      ),
    ]);
    expect(list.err).toMatch(text);
    expect(list.exitCode).toBe(1);
    expect(doctor.out).toMatch(text);
    expect(worker).toMatch(text);
    expect(`${list.err}${doctor.out}${worker}`).not.toContain('wrong-key');
  });
});
