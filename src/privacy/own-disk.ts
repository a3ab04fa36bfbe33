/**
 * The spool and the journal on the disk of one worker. Each worker cleans its own; the command cleans the folder that it sees.
 * The list of erased tokens in the same folder survives a restore of the database.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createJournal, createSpool, type Journal, type Spool } from '../ledger/index.js';
import { judgeAnswer } from './judge.js';
import { mentionsIn, replaceSpans } from './mentions.js';
import { SUBJECT_KINDS, type Sought, type SubjectKind } from './subject.js';
import type { Survey } from './survey.js';

export interface OwnDisk {
  /** Calls `onText` for every text of both, one after the other: they may be more than the memory holds. */
  readTexts(onText: (text: string) => void): Promise<void>;
  /** Counts what is about the subject; with `write` it also removes it. */
  clean(sought: Sought, known: Survey, how: Cleaning): Promise<Readonly<Record<OwnPlace, number>>>;
  /** Undefined if no worker has had its journal here. */
  journalId(): Promise<string | undefined>;
  remember(erased: ErasedToken): Promise<void>;
  remembered(): Promise<readonly ErasedToken[]>;
}

export type OwnPlace = 'spool' | 'journal';

export interface Cleaning {
  readonly write: boolean;
  /** Called for each text before it is changed. */
  readonly onFound?: (place: OwnPlace, text: string) => void;
}

export interface ErasedToken {
  readonly kind: SubjectKind;
  readonly token: string;
}

const LIST = 'erasures.jsonl';

export function openOwnDisk(
  filesDir: string,
  {
    spool = createSpool(join(filesDir, 'spool')),
    journal = createJournal(join(filesDir, 'journal')),
  }: { readonly spool?: Spool; readonly journal?: Journal } = {},
): OwnDisk {
  const listFile = join(filesDir, LIST);
  const disk: OwnDisk = {
    readTexts: async (onText) => {
      const read = <T extends Buffer | string>(text: T): T => {
        onText(text.toString());
        return text;
      };
      await spool.rewrite(read, { write: false });
      await journal.rewrite(read, { write: false });
    },
    clean: async (sought, known, { write, onFound }) => {
      const report = <T extends Buffer | string>(place: OwnPlace, before: T, after: T): T => {
        if (before.toString() !== after.toString()) onFound?.(place, before.toString());
        return after;
      };
      return {
        spool: await spool.rewrite((bytes) => report('spool', bytes, cleanAnswer(bytes, sought, known)), { write }),
        journal: await journal.rewrite((line) => report('journal', line, cleanLine(line, sought, known)), { write }),
      };
    },
    journalId: async () => {
      const state = await readFile(join(filesDir, 'journal', 'state.json'), 'utf8').catch(() => undefined);
      return state === undefined ? undefined : (JSON.parse(state) as { readonly journalId: string }).journalId;
    },
    remember: async ({ kind, token }) => {
      if ((await disk.remembered()).some((one) => one.kind === kind && one.token === token)) return;
      // A crash may have cut the last line of the list.
      await appendFile(listFile, `\n${JSON.stringify({ kind, token })}\n`, { mode: 0o600, flush: true });
    },
    remembered: async () => {
      const text = await readFile(listFile, 'utf8').catch(() => '');
      return text.split('\n').flatMap((line) => readToken(line) ?? []);
    },
  };
  return disk;
}

/** The answer itself need not name the subject: it is known by its hash too, which the rows of the ledger have. */
function cleanAnswer(bytes: Buffer, sought: Sought, known: Survey): Buffer {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return judgeAnswer({ sha256, bytes }, sought, known) ?? bytes;
}

/** Keeps the length in bytes, because the line is overwritten in place. */
function cleanLine(line: string, sought: Sought, { learned: { idTokens } }: Survey): string {
  const filler = sought.mark.replace(/[^A-Za-z]/g, 'x').repeat(4);
  const fill = (seen: string): string => filler.slice(0, Buffer.byteLength(seen));
  const withoutTokens = idTokens.reduce((text, token) => text.replaceAll(token, fill(token)), line);
  return replaceSpans(withoutTokens, mentionsIn(withoutTokens, sought), fill);
}

/** Undefined for a line that a crash has cut. */
function readToken(line: string): ErasedToken | undefined {
  try {
    const { kind, token } = JSON.parse(line) as Partial<ErasedToken>;
    const known = SUBJECT_KINDS.find((one) => one === kind);
    return known === undefined || typeof token !== 'string' ? undefined : { kind: known, token };
  } catch {
    return undefined;
  }
}
