/**
 * Stores the records in an answer, besides the raw answer that the ledger keeps. Best effort: a failure is logged and never
 * changes the outcome.
 */
import {
  goesByStatus,
  isJsonObject,
  present,
  readDocuments,
  readPublicDocuments,
  type Parameters,
} from '../../contract/index.js';
import { codeOfError, nameOfError, OPEN_AT_MOST_MS } from '../../contract/values/index.js';
import type { Intent, SettledBy } from '../../ledger/index.js';
import type { CaseRefresh, AnswerFacts } from '../../records/index.js';
import type { LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';
import { withoutUrls } from '../readings/documents.js';
import { textIn } from '../notices/save-notices.js';
import { factsIn } from './facts-in.js';
import { rememberMonitors } from './remember-monitors.js';
import { parseStored } from '../stored-answer.js';

const DEADLOCK = '40P01';
/** Answers up to this size count as small: one about a single case has some kilobytes. */
const SMALL_BYTES = 65_536;
const MAX_TRIES = 3;

export interface Answer {
  /** Its row, settled or about to be. */
  readonly intent: Intent;
  readonly params: Parameters;
  readonly body?: Buffer;
}

export type RememberDeps = Pick<ServiceDeps, 'clock' | 'log'> & Pick<LedgerDeps, 'ledger'> & RecordDeps;

export async function rememberAnswer(deps: RememberDeps, answer: Answer): Promise<void> {
  if (answer.intent.state !== 'done') return;
  await rememberForFlows(deps, answer);
  // Last: what flows need later must not wait for what only readers of the database need.
  await rememberFacts(deps, answer);
}

/** Stores what flows need later. */
export function rememberForFlows(deps: RememberDeps, answer: Answer): Promise<void> {
  return bestEffort(deps, answer, () => saveForFlows(deps, answer));
}

/** Stores what only readers of the database need. `read`: the facts, if {@link smallFactsOf} has read them already. */
export function rememberFacts(deps: RememberDeps, answer: Answer, read?: AnswerFacts): Promise<void> {
  return bestEffort(deps, answer, async () => {
    const facts = read ?? readFacts(deps, answer);
    if (facts !== undefined) await deps.facts.save(facts);
  });
}

interface SmallFacts {
  readonly read?: AnswerFacts;
  readonly beside?: SettledBy['beside'];
}

/**
 * The facts of an answer (`read`), and the statements that write them in the transaction that settles it (`beside`,
 * docs/decisions/0071). There are no statements if the settlement might have to wait for them: for a large answer, for a case
 * that seals what was stored of it before, and for drift, which all answers count in one row. Nor are there any for an answer
 * that cannot be read. Then `rememberFacts` writes the facts by themselves (docs/decisions/0070).
 */
export function smallFactsOf(deps: RememberDeps, answer: Answer): SmallFacts {
  if (answer.body === undefined || answer.body.length > SMALL_BYTES) return {};
  try {
    const read = readFacts(deps, answer);
    if (read === undefined) return { beside: [] };
    return read.drift.length > 0 || sealsOthers(read) ? { read } : { read, beside: deps.facts.writesOf(read) };
  } catch {
    return {};
  }
}

/**
 * The record of an ended refresh, as a statement for the transaction that settles it. The row in `answer` is as that transaction
 * will leave it. Nothing for any other work.
 */
export function refreshWrites(
  { records, clock }: Pick<RememberDeps, 'records' | 'clock'>,
  answer: Omit<Answer, 'body'>,
): NonNullable<SettledBy['beside']> {
  const ended = refreshEnd(answer, clock.nowMs());
  return ended === undefined ? [] : [records.writeOfRefresh(ended)];
}

function sealsOthers({ pages }: AnswerFacts): boolean {
  return pages.some(({ rows }) => rows.some(({ sensitivity }) => sensitivity === 'SEALED'));
}

async function bestEffort(
  { log }: Pick<RememberDeps, 'log'>,
  { intent: { intentId } }: Answer,
  step: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await step();
      return;
    } catch (error) {
      // A deadlock with another answer about the same cases: the database rolled this one back.
      if (codeOfError(error) === DEADLOCK && tries < MAX_TRIES) continue;
      log.warn({ intentId, error: nameOfError(error) }, 'answer not recorded; the answer itself is stored');
      return;
    }
  }
}

/**
 * Stores the records of a row that may have been settled outside its call: by the janitor, from the spool. Records are written by
 * key and hash, so it does no harm to store them again.
 */
export async function rememberSettled(
  deps: RememberDeps,
  { intent, params }: { readonly intent: Intent; readonly params: Parameters },
): Promise<void> {
  if (intent.state !== 'done' || intent.joined !== null) return;
  const answer = await deps.ledger.answerBytes(intent.intentId);
  await rememberAnswer(deps, { intent, params, ...present({ body: answer?.bytes }) });
}

function readFacts({ clock }: Pick<RememberDeps, 'clock'>, { intent, params, body }: Answer): AnswerFacts | undefined {
  const { account, operation } = intent;
  const facts = body && factsIn(operation, body, String(params['cnj'] ?? ''));
  return facts && { account, operation, ...facts, nowMs: answeredBy(intent, clock) };
}

/**
 * When the answer came at the latest. One that waited in a spool is settled later than it came, so it counts from its call. An
 * answer that was polled, or that evidence has found, is settled when it comes.
 */
function answeredBy(
  { operation, requestId, evidence, openedAtMs, settledAtMs }: Intent,
  clock: RememberDeps['clock'],
): number {
  const settledMs = settledAtMs ?? clock.nowMs();
  const isOfCall = requestId === null && !goesByStatus(operation) && evidence?.['proof'] === undefined;
  return isOfCall ? Math.min(settledMs, openedAtMs + OPEN_AT_MOST_MS) : settledMs;
}

async function saveForFlows(deps: RememberDeps, { intent, params, body }: Answer): Promise<void> {
  const { account, operation } = intent;
  const nowMs = answeredBy(intent, deps.clock);
  if (body !== undefined) {
    if (operation === 'listPublicDocuments') await saveDocumentList(deps, { intent, params, body }, nowMs);
    // A sync may end before it has stored what it has paid for: the next one would buy the text again.
    if (operation === 'getPublication') {
      const publicationId = String(params['diarioId'] ?? '');
      const data = textIn(parseStored(body));
      await deps.notices.saveText({ account, publicationId, data, ifMissing: true, nowMs });
    }
    await rememberMonitors(deps, { intent, id: String(params['id'] ?? ''), body, nowMs });
  }
  const ended = refreshEnd({ intent, params }, nowMs);
  if (ended !== undefined) await deps.records.saveRefresh(ended);
}

async function saveDocumentList(
  { records }: Pick<RememberDeps, 'records'>,
  { intent: { account }, params, body }: Required<Answer>,
  listedAtMs: number,
): Promise<void> {
  const parsed = parseStored(body);
  const list = readPublicDocuments(parsed, Number(params['page'] ?? 1));
  if (list === undefined) return;
  // The whole item says whether the document is sealed.
  const items = readDocuments(parsed)?.records.map(({ data }) => (isJsonObject(data) ? data : undefined)) ?? [];
  const documents = withoutUrls(list).map((document, index) => ({ ...document, ...present({ data: items[index] }) }));
  await records.saveDocuments({ account, cnj: String(params['cnj'] ?? ''), listedAtMs, documents });
}

/** How a refresh has ended; undefined if it has not, and for any other work. */
function refreshEnd({ intent, params }: Omit<Answer, 'body'>, finishedAtMs: number): CaseRefresh | undefined {
  const { account, finalState, rawStatus, intentId } = intent;
  const hasEnded = finalState === 'done' || finalState === 'empty' || finalState === 'failed';
  if (!goesByStatus(intent.operation) || !hasEnded) return undefined;
  const withDocuments = intent.flags.includes('documents');
  const cnj = String(params['cnj'] ?? '');
  return { account, cnj, state: finalState, rawStatus, withDocuments, intentId, finishedAtMs };
}
