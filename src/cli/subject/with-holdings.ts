/** Opens everything that may hold a subject, for `tramita subject`. */
import { createTokens, type Config } from '../../config/index.js';
import { createFiles } from '../../files/index.js';
import {
  SUBJECT_KINDS,
  openOwnDisk,
  parseSubject,
  recordAccess,
  tokenOfSubject,
  type Holdings,
  type Subject,
  type SubjectKind,
} from '../../privacy/index.js';
import type { CliContext } from '../context.js';
import { usageError } from '../exit-codes.js';
import { refuseText } from '../with/note-look.js';
import { readConfig, requireIdKey } from '../with/settings.js';
import { refuseOtherNamespace } from '../with/namespace-of-flows.js';
import { withClient } from '../with/with-client.js';
import { refuseOtherSettings, withDatabase } from '../with/with-database.js';
import { createFlowsOfNamespace } from './flows-of-namespace.js';

/** Whose data, who asks, and why. */
export interface SubjectFlags extends Partial<Record<SubjectKind, string>> {
  readonly by: string;
  readonly reason: string;
}

export interface Stores extends Holdings {
  readonly config: Config;
}

/** Writes the access log before `use` reads anything. */
export async function withLoggedAccess<T>(
  context: CliContext,
  flags: SubjectFlags,
  via: string,
  use: (stores: Stores, subject: Subject) => Promise<T>,
): Promise<T> {
  const subject = readSubject(flags);
  return withHoldings(context, flags, async (stores) => {
    const { by, reason } = flags;
    await recordAccess(stores.db, { by, via, reason, subject: tokenOfSubject(stores.token, subject) });
    return use(stores, subject);
  });
}

export async function withHoldings<T>(
  context: CliContext,
  { by, reason }: SubjectFlags,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  refuseText('--by', by);
  refuseText('--reason', reason);
  const config = readConfig(context);
  const { token } = createTokens(requireIdKey(config));
  await refuseOtherSettings(config);
  return withDatabase(config, async (db) => {
    await refuseOtherNamespace(context, db);
    return withClient(context, (client) => {
      const flows = createFlowsOfNamespace(client, config);
      const [disk, files] = [openOwnDisk(config.filesDir), createFiles(config)];
      return use({ db, token, disk, files, flows, config });
    });
  });
}

function readSubject(flags: SubjectFlags): Subject {
  const given = SUBJECT_KINDS.filter((kind) => flags[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) throw usageError('give one of --cnj, --cpf, --cnpj and --oab');
  const read = parseSubject(kind, flags[kind] ?? '');
  if (!read.ok) throw usageError(`--${kind} ${read.problem}`);
  return read.subject;
}
