/**
 * The access log of commands (docs/decisions/0053). Output that names cases or people which the caller did not name needs one
 * line in the log before it is shown. Output that only counts, sums or repeats the caller's input needs none.
 */
import { userInfo } from 'node:os';
import { errorCode, type Config } from '../../config/index.js';
import { holdsCpfOrCnpj, mayHoldPersonalNumber, present, withoutPrefix } from '../../contract/values/index.js';
import { recordAccess } from '../../privacy/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { withDatabase } from './with-database.js';

/** Refused while the command line is read: a command that starts a flow must not fail after it. */
export const BY_OPTION = ['--by <who>', 'a name or a ticket, for the access log', parseBy, osUser()] as const;

export function parseBy(text: string): string {
  refuseText('--by', text);
  return text;
}

export interface Look {
  /** Default: the user of the operating system. */
  readonly by?: string | undefined;
  readonly account?: string | undefined;
  /** The command, as it is typed. */
  readonly via: string;
  /** How many rows name somebody; with 0 nothing is logged. Absent if that is not known before the rows are shown. */
  readonly items?: number;
}

/** The uid if there is no login name, as in some containers, or if the login name may be a personal number. */
export function osUser(nameOf = (): string => userInfo().username): string {
  const uid = `uid ${process.getuid?.() ?? 'unknown'}`;
  try {
    const name = nameOf();
    return mayHoldPersonalNumber(name) ? uid : name;
  } catch {
    return uid;
  }
}

/** @throws if the line cannot be written; nothing may be shown then. */
export async function noteLook(db: Database, { by = osUser(), ...look }: Look): Promise<void> {
  refuseText('--by', by);
  if (look.items === 0) return;
  await recordAccess(db, { by, ...present(look) }).catch((error: unknown) => {
    throw failure(
      `the access log cannot be written (${errorCode(error)}), so nothing is shown; ask the primary database, with a role that may insert into tramita.access_log`,
    );
  });
}

/**
 * For data that Temporal shows to everybody who may read the namespace. Without a database nothing is logged. One that cannot be
 * reached must not hide how a flow ended: the data is shown, and a warning on stderr says that the log has no line.
 */
export async function noteLookAtFlows(context: CliContext, config: Config, look: Look): Promise<void> {
  if (config.databaseUrl === undefined || look.items === 0) return;
  await withDatabase(config, (db) => noteLook(db, look)).catch((error: unknown) => {
    const why = error instanceof Error ? withoutPrefix(error.message) : 'unknown error';
    context.err(`tramita: this access was not recorded in the access log: ${why}\n`);
  });
}

/** Refuses a name or a reason that is empty, or that may hold a personal number. */
export function refuseText(flag: string, text: string): void {
  if (text.trim() === '') throw usageError(`${flag} is empty`);
  if (mayHoldPersonalNumber(text) || holdsCpfOrCnpj(text))
    throw usageError(
      `${flag} contains what may be a personal number, which the access log must not keep: name a ticket`,
    );
}
