/**
 * The result of a flow as a command shows it. Parts under secrecy of justice are left out unless `--sealed` is given, and the
 * access log gets a line before anything is shown. Programs should take results from Temporal instead.
 */
import type { Config } from '../../config/index.js';
import { decideSensitivity, isJsonObject } from '../../contract/index.js';
import { isSealedCase } from '../../privacy/index.js';
import type { CliContext } from '../context.js';
import { KEYS_CURE } from '../output/flow-failure.js';
import { noteLook, noteLookAtFlows } from './note-look.js';
import { withDatabase } from './with-database.js';

export interface ShowSealed {
  readonly sealed?: boolean;
  readonly by?: string;
}

export const SEALED_OPTION = [
  '--sealed',
  'also show what is under secrecy of justice; the access log records who asked',
] as const;

/** Members of the result of a sealed case that reveal nothing about it. */
const PLAIN = ['cnj', 'status', 'spent', 'receipts', 'reused', 'truncated', 'documentCount', 'movementCount'];
const LEFT_OUT = { sealed: true };

/** Null if the result cannot be decoded here. @throws if `--sealed` shows more, and there is no database for the access log. */
export async function shownResult(
  context: CliContext,
  config: Config,
  result: unknown,
  { sealed = false, via, ...who }: ShowSealed & { readonly via: string },
): Promise<unknown> {
  if (result === undefined) {
    context.err(`the result cannot be read here: ${KEYS_CURE}\n`);
    return null;
  }
  if (!isJsonObject(result)) return result;
  const cnj: unknown = result['cnj'];
  const ofSealedCase =
    typeof cnj === 'string' &&
    config.databaseUrl !== undefined &&
    // A database that cannot be reached must not hide how a flow ended: only the signs in the result count then.
    (await withDatabase(config, (db) => isSealedCase(db, cnj)).catch(() => false));
  const shown = withoutSealed(result, ofSealedCase);
  if (!sealed || JSON.stringify(shown) === JSON.stringify(result)) {
    await noteLookAtFlows(context, config, { ...who, via, items: 1 });
    return shown;
  }
  await withDatabase(config, (db) => noteLook(db, { ...who, via: `${via} --sealed`, items: 1 }));
  return result;
}

/** Replaces members and list items that show signs of secrecy; in a sealed case, all but the plain members. Pure. */
export function withoutSealed(result: Readonly<Record<string, unknown>>, ofSealedCase: boolean): unknown {
  const isSealed = (value: unknown): boolean => decideSensitivity(value, 'PERSONAL') === 'SEALED';
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => {
      if (ofSealedCase) return [name, PLAIN.includes(name) ? value : LEFT_OUT];
      if (Array.isArray(value)) return [name, value.map((item: unknown) => (isSealed(item) ? LEFT_OUT : item))];
      return [name, isSealed(value) ? LEFT_OUT : value];
    }),
  );
}
