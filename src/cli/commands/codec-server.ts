/** `tramita codec-server`: lets people with a token read encrypted payloads in the Temporal UI, until it is stopped. */
import type { Command } from 'commander';
import { ENV, codecProblems, unencryptedDatabase, type CodecConfig } from '../../config/index.js';
import { checkAccessLog, recordAccess } from '../../privacy/index.js';
import { connect, schemaProblemAtStart } from '../../store/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { createLog } from '../output/log.js';
import { JSON_OPTION, print, printJson, type JsonFlag } from '../output/output.js';
import { listenForSignals } from '../listen-for-signals.js';
import { readCodecConfig, readTemporal, refuseProblems } from '../with/settings.js';

interface CodecFlags extends JsonFlag {
  readonly encode?: boolean;
  readonly behindProxy?: boolean;
}

const CONNECTIONS = 4;

export function addCodecServerCommand(program: Command, setup: CommandSetup): void {
  const { context, run } = setup;
  const command = program
    .command('codec-server')
    .description(
      'decode encrypted payloads for the Temporal UI and CLI; every access is logged; logs are JSON lines on stderr',
    )
    .option('--encode', 'offer /encode as well: inputs written in the UI are encrypted')
    .option('--behind-proxy', 'a proxy in front terminates TLS: allows plain HTTP on a public address')
    .option(...JSON_OPTION)
    .action(run((flags: CodecFlags) => runCodecServer(context, flags)));
  addTokenCommand(command, setup);
}

async function runCodecServer(context: CliContext, flags: CodecFlags): Promise<void> {
  const { encode = false, behindProxy = false, json } = flags;
  const config = readCodecConfig(context);
  const { payloadKeys: keys, namespace } = readTemporal(context);
  refuseProblems(codecProblems(config, { hasKeys: keys !== undefined, behindProxy }));
  if (keys === undefined) return;
  const log = createLog({ program: 'codec-server', level: config.logLevel });
  warn(log, config);
  const db = connect({
    url: config.databaseUrl ?? '',
    applicationName: 'tramita-codec-server',
    max: CONNECTIONS,
    onIdleError: (code) => log.warn({ code }, 'idle database connection lost'),
  });
  const signals = listenForSignals();
  try {
    const schema = await schemaProblemAtStart(db, log, 'TRAMITA_CODEC_DATABASE_URL');
    if (schema !== undefined) throw failure(schema);
    const { createCodecServer } = await import('../../codec-server/index.js');
    const server = await createCodecServer({
      ...config,
      keys,
      encode,
      log,
      secureCookie: behindProxy,
      namespaces: config.namespaces.length === 0 ? [namespace] : config.namespaces,
      recordAccess: (access) => recordAccess(db, access),
      checkDatabase: () => checkAccessLog(db),
    });
    log.info({ url: server.url }, 'codec server listens');
    if (json === true) printJson(context, { ready: true, url: server.url });
    await signals.started();
    await server.close();
  } finally {
    signals.forget();
    await db.destroy();
  }
}

function addTokenCommand(command: Command, { context, run }: CommandSetup): void {
  command
    .command('token')
    .description('make a token: prints it once, and the entry for TRAMITA_CODEC_TOKENS with its hash')
    .requiredOption('--name <who>', 'who holds the token, for the access log')
    .option(...JSON_OPTION)
    .action(
      run(async ({ name, json }: { name: string; json?: boolean }) => {
        if (!/^[\w.@-]{1,64}$/.test(name)) {
          throw usageError('--name: expected at most 64 letters, digits, ".", "@", "-" and "_"');
        }
        const { hashToken, makeToken } = await import('../../codec-server/index.js');
        const token = makeToken();
        const entry = `${name}:${hashToken(token)}`;
        const text = `token (for ${name} alone): ${token}\nTRAMITA_CODEC_TOKENS entry: ${entry}`;
        print(context, json, { token, entry }, text);
      }),
    );
}

function warn(log: ReturnType<typeof createLog>, config: CodecConfig): void {
  const { openSecretFiles, needless, origins, databaseUrl } = config;
  for (const text of unencryptedDatabase(ENV.CODEC_DATABASE_URL, databaseUrl)) log.warn({}, text);
  for (const variable of openSecretFiles) {
    log.warn({ variable }, 'others on this machine can read the file; restrict it (chmod 600)');
  }
  for (const variable of needless) log.warn({ variable }, 'the codec server needs no such secret: remove it');
  if (origins.length === 0)
    log.warn({}, 'TRAMITA_CODEC_ORIGINS is not set: command-line tools can use it, a UI in a browser cannot');
}
