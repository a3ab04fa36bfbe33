/**
 * A look at personal data through a command (docs/decisions/0053): what it prints names cases or people that its caller did not
 * name. Then the access log gets one line before anything is shown. What only counts, sums or repeats what was given is no look.
 */
import { userInfo } from 'node:os';
import { errorCode, type Config } from '../../config/index.js';
import { mayHoldPersonalNumber, withoutPrefix } from '../../contract/values/index.js';
import { recordAccess, type Access } from '../../privacy/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { withDatabase } from './with-database.js';

export const BY_OPTION = ['--by <who>', 'a name or a ticket, for the access log', osUser()] as const;

/** `by`: the user of the operating system. */
export interface Look extends Partial<Pick<Access, 'by' | 'account'>> {
  /** The command, as it is typed. */
  readonly via: string;
  /** How many rows name somebody; with none nothing is looked at. Absent: not known before they are shown. */
  readonly items?: number;
}

/** A container may run as a number that has no name, and a login may be the number of a person. */
export function osUser(nameOf = (): string => userInfo().username): string {
  const uid = `uid ${process.getuid?.() ?? 'unknown'}`;
  try {
    const name = nameOf();
    return mayHoldPersonalNumber(name) ? uid : name;
  } catch {
    return uid;
  }
}

/** @throws where the line cannot be written: then nothing may be shown. */
export async function noteLook(db: Database, { by = osUser(), ...look }: Look): Promise<void> {
  refuseText('--by', by);
  if (look.items === 0) return;
  await recordAccess(db, { by, ...look }).catch((error: unknown) => {
    throw failure(
      `the access log cannot be written (${errorCode(error)}), so nothing is shown; ask the primary database, with a role that may insert into tramita.access_log`,
    );
  });
}

/**
 * Of what Temporal gives to everybody who may read the namespace. A client needs no database, and one that is away must not hide
 * how a flow ended: then it is shown, and a line on the error stream says what is missing.
 */
export async function noteLookAtFlows(context: CliContext, config: Config, look: Look): Promise<void> {
  refuseText('--by', look.by ?? osUser());
  if (config.databaseUrl === undefined || look.items === 0) return;
  await withDatabase(config, (db) => noteLook(db, look)).catch((error: unknown) => {
    const why = error instanceof Error ? withoutPrefix(error.message) : 'unknown error';
    context.err(`tramita: the access log has no line of this look: ${why}\n`);
  });
}

/** Refuses a name or a reason that is empty, or that may hold a personal number. */
export function refuseText(flag: string, text: string): void {
  if (text.trim() === '') throw usageError(`${flag} is empty`);
  if (mayHoldPersonalNumber(text)) throw usageError(`${flag} holds a number; the access log keeps none: name a ticket`);
}
