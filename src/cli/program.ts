/** All commands, and how a command line becomes an exit code. Ends no process and reads no globals: `main.ts` does. */
import { Command } from 'commander';
import { createRequire } from 'node:module';
import { maskPersonalNumbers } from '../contract/index.js';
import type { CliContext, CommandSetup } from './context.js';
import { harmless } from './output/harmless.js';
import { printable } from './output/output.js';
import { CLI_ERROR, EXIT, type CliError, type ExitCode } from './exit-codes.js';

type Adder = (program: Command, setup: CommandSetup) => void;

const decisions = async (): Promise<Adder> => (await import('./commands/decide.js')).addDecisionCommands;

/** In the order of `tramita --help`. Only the requested command is loaded: all of them are two thirds more modules. */
const COMMANDS: Readonly<Record<string, () => Promise<Adder>>> = {
  demo: async () => (await import('./commands/demo.js')).addDemoCommand,
  up: async () => (await import('./commands/up.js')).addUpCommand,
  worker: async () => (await import('./commands/worker.js')).addWorkerCommand,
  bridge: async () => (await import('./commands/bridge.js')).addBridgeCommand,
  'codec-server': async () => (await import('./commands/codec-server.js')).addCodecServerCommand,
  sandbox: async () => (await import('./commands/sandbox.js')).addSandboxCommand,
  migrate: async () => (await import('./commands/migrate.js')).addMigrateCommand,
  plan: async () => (await import('./commands/plan.js')).addPlanCommand,
  start: async () => (await import('./commands/start.js')).addStartCommand,
  status: async () => (await import('./commands/status.js')).addStatusCommand,
  list: async () => (await import('./commands/list.js')).addListCommand,
  settle: decisions,
  resume: decisions,
  lists: async () => (await import('./commands/lists.js')).addListsCommand,
  portfolio: async () => (await import('./commands/portfolio.js')).addPortfolioCommand,
  schedule: async () => (await import('./commands/schedule.js')).addScheduleCommand,
  events: async () => (await import('./commands/events.js')).addEventsCommand,
  webhook: async () => (await import('./commands/webhook.js')).addWebhookCommand,
  subject: async () => (await import('./commands/subject.js')).addSubjectCommand,
  ledger: async () => (await import('./commands/ledger.js')).addLedgerCommand,
  report: async () => (await import('./commands/report.js')).addReportCommand,
  account: async () => (await import('./commands/account.js')).addAccountCommand,
  balance: async () => (await import('./commands/balance.js')).addBalanceCommand,
  operations: async () => (await import('./commands/operations.js')).addOperationsCommand,
  schema: async () => (await import('./commands/schema.js')).addSchemaCommand,
  config: async () => (await import('./commands/config.js')).addConfigCommand,
  doctor: async () => (await import('./commands/doctor.js')).addDoctorCommand,
  replay: async () => (await import('./commands/replay.js')).addReplayCommand,
};

const EXIT_CODES_HELP = '\nExit codes: 0 ok · 1 failed · 2 usage or configuration · 3 needs a person';

/** @param args without node and script. */
export async function runCli(args: readonly string[], given: CliContext): Promise<ExitCode> {
  const context = harmless(given);
  let exitCode: ExitCode = EXIT.ok;
  const run: CommandSetup['run'] =
    (body) =>
    async (...given) => {
      exitCode = (await body(...given)) ?? EXIT.ok;
    };
  try {
    const program = await buildProgram({ context, run }, args[0]);
    await program.parseAsync(withPlainHelp(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, context);
  }
}

/** Registers the command `requested`, or all commands if none has that name. */
export async function buildProgram(setup: CommandSetup, requested = ''): Promise<Command> {
  const { context } = setup;
  const program = new Command('tramita')
    .description('Durable flows over a paid service of court data')
    .version(packageVersion())
    .enablePositionalOptions()
    .addHelpText('after', EXIT_CODES_HELP)
    .exitOverride()
    .configureOutput({
      writeOut: context.out,
      writeErr: context.err,
      outputError: (text, write) => write(`${inOneLine(text)}\n`),
    });
  const loader = Object.hasOwn(COMMANDS, requested) ? COMMANDS[requested] : undefined;
  const loaders = loader === undefined ? new Set(Object.values(COMMANDS)) : [loader];
  for (const load of loaders) (await load())(program, setup);
  return program;
}

/** What commander reports, with the cure if it has none. */
function inOneLine(text: string): string {
  const line = text
    .trimEnd()
    .replace(/^error: /, 'tramita: ')
    .replace(/\n\(/g, ' (');
  return /^tramita: unknown command '[^']*'$/.test(line) ? `${line}; --help lists the commands` : line;
}

/**
 * `tramita help --help`: commander would take the flag for an unknown command. `tramita help <unknown>`: it would show the whole
 * help without a reason.
 */
function withPlainHelp(args: readonly string[]): string[] {
  const [first = '', second = '', ...others] = args;
  if (first !== 'help' || second === '') return [...args];
  if (['--help', '-h'].includes(second)) return others.length === 0 ? ['help'] : [...args];
  return second === 'help' || Object.hasOwn(COMMANDS, second) ? [...args] : [second];
}

function reportError(error: unknown, { env, err }: CliContext): ExitCode {
  const { name, code, exitCode, message = '', stack } = error as Partial<CliError> & { readonly code?: unknown };
  // commander has already printed the error or the requested help
  if (String(code).startsWith('commander.')) return exitCode === EXIT.ok ? EXIT.ok : EXIT.usage;
  // the Temporal server's answer, which the SDK's own message leaves out
  const { details } = ((error as { readonly cause?: unknown }).cause ?? {}) as { readonly details?: unknown };
  const answer = typeof details === 'string' && details !== '' ? ` (${printable(maskPersonalNumbers(details))})` : '';
  const isOurs = name === CLI_ERROR || message.startsWith('tramita: ');
  const text = isOurs ? message : `tramita: unexpected ${name ?? 'error'}: ${message.split('\n')[0] ?? ''}${answer}`;
  err(`${text}\n`);
  if (env['TRAMITA_LOG_LEVEL'] === 'debug' && stack !== undefined) err(`${stack}\n`);
  return name === CLI_ERROR && exitCode !== undefined ? exitCode : EXIT.failed;
}

/** Node resolves a package's own name from inside it, so this works in `src`, in `dist` and in `node_modules`. */
function packageVersion(): string {
  return (createRequire(__filename)('tramita/package.json') as { readonly version: string }).version;
}
