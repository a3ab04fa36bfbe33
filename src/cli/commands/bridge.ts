/** `tramita bridge`: receives the service's webhooks until it is stopped. It reads no API key. */
import { present } from '../../contract/index.js';
import type { Command } from 'commander';
import { createBridge, createSignalWake } from '../../bridge/index.js';
import {
  bridgeProblems,
  preflight,
  unreadKeyProblem,
  type Config,
  type Env,
  type TemporalConnection,
} from '../../config/index.js';
import { createInbox } from '../../inbox/index.js';
import {
  CLOCK_EVERY_MS,
  connect,
  createDatabaseClock,
  readFingerprintNames,
  schemaProblemAtStart,
  type Database,
} from '../../store/index.js';
import { connectionProblem } from '../../temporal-client/index.js';
import { openTraces } from '../../traces/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { failure } from '../exit-codes.js';
import { createLog, type ProgramLog } from '../output/log.js';
import { JSON_OPTION, printJson, type JsonFlag } from '../output/output.js';
import { readConfigToShow, readTemporal, refuseProblems } from '../with/settings.js';
import { listenForSignals } from '../listen-for-signals.js';
import { createLastingClient } from '../with/with-client.js';
import { bridgeAccount } from '../webhook/webhook-account.js';

interface BridgeFlags extends JsonFlag {
  readonly behindProxy?: boolean;
  readonly insecure?: boolean;
}

export function addBridgeCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('bridge')
    .description('receive webhooks and wake the flows that wait for them; logs are JSON lines on stderr')
    .option('--behind-proxy', 'a proxy in front terminates TLS: allows plain HTTP on a public address')
    .option('--insecure', 'accept webhooks of accounts without secret and token from anyone')
    .option(...JSON_OPTION)
    .action(run((flags: BridgeFlags) => runBridge(context, flags)));
}

async function runBridge(context: CliContext, { behindProxy, insecure, json }: BridgeFlags): Promise<void> {
  const config = readConfigToShow(context, { behindProxy, insecure, withoutApiKeys: true });
  refuseProblems(bridgeProblems(config));
  const temporal = readTemporal(context);
  const log = createLog({ program: 'bridge', level: config.logLevel });
  for (const warning of preflight(config)) log.warn({}, warning);
  for (const variable of apiKeysSet(config, context.env)) {
    log.warn({ variable }, 'the bridge needs no API key: remove it from its environment');
  }
  const db = connect({
    url: config.bridgeDatabaseUrl ?? '',
    applicationName: 'tramita-bridge',
    max: config.databaseConnections,
    onIdleError: (code) => log.warn({ code }, 'idle database connection lost'),
  });
  const traces = config.traces && openTraces({ protocol: config.traces, service: 'tramita-bridge', log });
  const client = createLastingClient(temporal, traces);
  const signals = listenForSignals();
  // Events are compared with calls, whose workers use the database's clock too (docs/decisions/0080).
  const databaseClock = createDatabaseClock(db);
  const setClock = (): void => void databaseClock.set().catch(() => undefined);
  const settingClock = setInterval(setClock, CLOCK_EVERY_MS);
  try {
    const schema = await schemaProblemAtStart(db, log, 'TRAMITA_BRIDGE_DATABASE_URL');
    if (schema !== undefined) throw failure(schema);
    setClock();
    await warnOfKeys(db, temporal, log);
    const { listen, opsListen, tls, bodiesMb } = config.bridge;
    const bridge = await createBridge({
      listen,
      opsListen,
      accounts: Object.fromEntries(
        Object.entries(config.accounts).map(([name, account]) => [name, bridgeAccount(account)]),
      ),
      inbox: createInbox({ db, clock: databaseClock.nowMs }),
      signalWake: createSignalWake(client),
      log,
      clock: Date.now,
      insecure: config.bridge.insecure,
      maxBodyBytes: bodiesMb * 1_048_576,
      ...present({ tls, beginRequest: traces?.beginRequest }),
    });
    // The bridge takes webhooks without Temporal too, so an outage is only logged.
    void client.connection.ensureConnected().catch(async () => {
      log.warn({}, (await connectionProblem(temporal)).text);
    });
    if (json === true) printJson(context, { ready: true, url: bridge.url, opsUrl: bridge.opsUrl });
    await signals.started();
    await bridge.close();
  } finally {
    signals.forget();
    clearInterval(settingClock);
    await Promise.allSettled([client.connection.close(), db.destroy(), traces?.close()]);
  }
}

/** Only warns: without the keys webhooks are stored all the same, and flows go on by polling. */
async function warnOfKeys(db: Database, { payloadKeys }: TemporalConnection, log: ProgramLog): Promise<void> {
  if (payloadKeys === undefined) return;
  const names = await readFingerprintNames(db).catch(() => undefined);
  const problem = names && unreadKeyProblem(names, payloadKeys);
  if (problem !== undefined) log.warn({}, problem);
}

/** The bridge does not read them, but an attacker who takes over its process would find them. */
function apiKeysSet({ accounts }: Config, env: Env): readonly string[] {
  const names = Object.values(accounts).flatMap(({ apiKeyEnv }) => (apiKeyEnv === undefined ? [] : [apiKeyEnv]));
  return names.flatMap((name) => [name, `${name}_FILE`]).filter((name) => (env[name] ?? '') !== '');
}
