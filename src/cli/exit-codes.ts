/** Exit codes, and the errors that carry them. The errors are identified by name, so that two copies of the package agree. */

/** `needsPerson`: nothing failed, but a flow is parked until a person decides. */
export const EXIT = { ok: 0, failed: 1, usage: 2, needsPerson: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const CLI_ERROR = 'TramitaCliError';
export type CliError = Error & { readonly exitCode: ExitCode };

/** The command line, the environment or the configuration is wrong; trying again changes nothing. */
export function usageError(message: string): CliError {
  return cliError(message, EXIT.usage);
}

/** Refuses the command line if there is a problem with it. */
export function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw usageError(problem);
}

export function failure(message: string): CliError {
  return cliError(message, EXIT.failed);
}

function cliError(message: string, exitCode: ExitCode): CliError {
  const lines = message.split('\n').map((line) => (/^(tramita: | {2})/.test(line) ? line : `tramita: ${line}`));
  const error = new Error(lines.join('\n'));
  error.name = CLI_ERROR;
  return Object.assign(error, { exitCode });
}
