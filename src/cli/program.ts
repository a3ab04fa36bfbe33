/** All commands, and how a command line becomes an exit code. Ends no process and reads no globals: `main.ts` does. */
import { Command } from 'commander';
import { createRequire } from 'node:module';
import { addAccountCommand } from './commands/account.js';
import { addBalanceCommand } from './commands/balance.js';
import { addBridgeCommand } from './commands/bridge.js';
import { addCodecServerCommand } from './commands/codec-server.js';
import { addConfigCommand } from './commands/config.js';
import { addDecisionCommands } from './commands/decide.js';
import { addDemoCommand } from './commands/demo.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addEventsCommand } from './commands/events.js';
import { addLedgerCommand } from './commands/ledger.js';
import { addListCommand } from './commands/list.js';
import { addListsCommand } from './commands/lists.js';
import { addMigrateCommand } from './commands/migrate.js';
import { addOperationsCommand } from './commands/operations.js';
import { addPlanCommand } from './commands/plan.js';
import { addPortfolioCommand } from './commands/portfolio.js';
import { addReplayCommand } from './commands/replay.js';
import { addReportCommand } from './commands/report.js';
import { addSandboxCommand } from './commands/sandbox.js';
import { addScheduleCommand } from './commands/schedule.js';
import { addSchemaCommand } from './commands/schema.js';
import { addStartCommand } from './commands/start.js';
import { addStatusCommand } from './commands/status.js';
import { addSubjectCommand } from './commands/subject.js';
import { addUpCommand } from './commands/up.js';
import { addWebhookCommand } from './commands/webhook.js';
import { addWorkerCommand } from './commands/worker.js';
import { maskPersonalNumbers } from '../contract/index.js';
import type { CliContext, CommandSetup } from './context.js';
import { harmless } from './output/harmless.js';
import { printable } from './output/output.js';
import { CLI_ERROR, EXIT, type CliError, type ExitCode } from './exit-codes.js';

/** In the order of `tramita --help`. */
const ADDERS: readonly ((program: Command, setup: CommandSetup) => void)[] = [
  ...[addDemoCommand, addUpCommand, addWorkerCommand, addBridgeCommand, addCodecServerCommand],
  ...[addSandboxCommand, addMigrateCommand],
  ...[addPlanCommand, addStartCommand, addStatusCommand, addListCommand, addDecisionCommands],
  ...[addListsCommand, addPortfolioCommand, addScheduleCommand, addEventsCommand, addWebhookCommand, addSubjectCommand],
  ...[addLedgerCommand, addReportCommand, addAccountCommand, addBalanceCommand, addOperationsCommand, addSchemaCommand],
  ...[addConfigCommand, addDoctorCommand, addReplayCommand],
];

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
    await buildProgram({ context, run }).parseAsync(isHelpOnHelp(args) ? ['help'] : [...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, context);
  }
}

/** Every command; `run` decides what becomes of the one that was asked for. */
export function buildProgram(setup: CommandSetup): Command {
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
      outputError: (text, write) => write(text.replace(/^error: /, 'tramita: ')),
    });
  for (const add of ADDERS) add(program, setup);
  return program;
}

/** To commander the flag is a command, of which it knows nothing. */
function isHelpOnHelp([first = '', second = '', ...others]: readonly string[]): boolean {
  return first === 'help' && ['--help', '-h'].includes(second) && others.length === 0;
}

function reportError(error: unknown, { env, err }: CliContext): ExitCode {
  const { name, code, exitCode, message = '', stack } = error as Partial<CliError> & { readonly code?: unknown };
  // commander has said itself what is wrong, or has printed the help that was asked for
  if (String(code).startsWith('commander.')) return exitCode === EXIT.ok ? EXIT.ok : EXIT.usage;
  // what the Temporal server has answered: the SDK's own message leaves it out
  const { details } = ((error as { readonly cause?: unknown }).cause ?? {}) as { readonly details?: unknown };
  const answer = typeof details === 'string' && details !== '' ? ` (${printable(maskPersonalNumbers(details))})` : '';
  const isOurs = name === CLI_ERROR || message.startsWith('tramita: ');
  err(`${isOurs ? message : `tramita: unexpected ${name ?? 'error'}: ${message.split('\n')[0] ?? ''}${answer}`}\n`);
  if (env['TRAMITA_LOG_LEVEL'] === 'debug' && stack !== undefined) err(`${stack}\n`);
  return name === CLI_ERROR && exitCode !== undefined ? exitCode : EXIT.failed;
}

/** Node resolves a package's own name from inside of it, so this holds in `src`, in `dist` and in `node_modules`. */
function packageVersion(): string {
  return (createRequire(__filename)('tramita/package.json') as { readonly version: string }).version;
}
