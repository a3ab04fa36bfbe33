/**
 * What an exchange means for the charge: the table of outcomes as a function. It looks at the send boundary and at the
 * answer, never at an error code. Pure; does not know whether the call was charged or a poll (`judge-poll.ts`).
 */
import {
  isAboutBalance,
  isJsonObject,
  readErrorBody,
  readPending,
  type AnswerMeta,
  type Operation,
} from '../contract/index.js';
import { isPdf } from '../files/index.js';
import { bodyForMeta, readAnswerMeta } from './answer-meta.js';
import { readHintMs } from './retry-timing.js';
import { parseStrictJson, type ParsedJson } from './strict-json.js';
import type { AnswerHead, Exchange, Judgement } from './types.js';

/** `free`: configuration (`serverErrors`) says that a 5xx costs the account nothing. */
type ServerErrors = 'unknown' | 'free';

interface JudgeContext {
  readonly serverErrors: ServerErrors;
}

export function judgeExchange(
  operation: Operation<string>,
  exchange: Exchange,
  context: JudgeContext = { serverErrors: 'unknown' },
): Judgement {
  switch (exchange.kind) {
    case 'not_sent':
      return { outcome: 'NOT_SENT', reason: exchange.reason };
    case 'no_answer':
      return { outcome: 'UNKNOWN', reason: exchange.reason, meta: readAnswerMeta(undefined, NO_HEAD) };
    case 'cut':
      return judgeAnswer(operation, withMeta(exchange.head, { ok: false, problem: exchange.reason }), context);
    case 'answer':
      return judgeAnswer(operation, withMeta(exchange.head, readAnswer(operation, exchange), exchange.body), context);
    case 'file':
      return judgeAnswer(operation, withMeta(exchange.head, FILE), context);
  }
}

interface ReadAnswer {
  readonly head: AnswerHead;
  readonly json: ParsedJson;
  readonly meta: AnswerMeta;
}

/** `bytes`: the body of a complete answer. */
function withMeta(head: AnswerHead, json: ParsedJson, bytes?: Buffer): ReadAnswer {
  return { head, json, meta: readAnswerMeta(bytes === undefined ? bodyOf(json) : bodyForMeta(json, bytes), head) };
}

function bodyOf(json: ParsedJson): unknown {
  return json.ok ? json.value : undefined;
}

/** Placeholder for a whole file or a plain text, whose content does not matter here. */
const FILE: ParsedJson = { ok: true, value: undefined };

/** A PDF in memory is complete, because the answer is. Anything else is read as JSON, or as the plain text of other work. */
function readAnswer(operation: Operation<string>, { head, body }: Answer): ParsedJson {
  if (mayBeFile(operation) && isPdf(body)) return FILE;
  const json = parseStrictJson(body);
  return !json.ok && operation.answer === 'reproduced' && isPlainText(head, body) ? FILE : json;
}

type Answer = Pick<Extract<Exchange, { kind: 'answer' }>, 'head' | 'body'>;

/** By its content type: an HTML page comes from a gateway, and a body labelled JSON that does not parse is garbled. */
function isPlainText({ headers }: AnswerHead, body: Buffer): boolean {
  return body.length > 0 && /^text\/plain\b/i.test(headers['content-type'] ?? '');
}

/** The answer that `getRequest` reproduces may be of any operation. */
function mayBeFile({ answer }: Operation<string>): boolean {
  return answer === 'pdf' || answer === 'reproduced';
}

function mayBeList({ paging, answer, bareList }: Operation<string>): boolean {
  return paging !== 'none' || answer === 'legacy' || answer === 'reproduced' || bareList === true;
}

const NO_HEAD: AnswerHead = { status: 0, headers: {}, receivedAtMs: 0 };

function judgeAnswer(operation: Operation<string>, answer: ReadAnswer, context: JudgeContext): Judgement {
  const { head, json, meta } = answer;
  const { status } = head;
  if (status === 202) return judgePending(answer);
  if (status === 408)
    return { outcome: 'UNKNOWN', reason: 'HTTP 408: the service gave up waiting, the outcome is unknown', meta };
  switch (Math.floor(status / 100)) {
    case 2:
      return judgeSuccess(operation, answer);
    case 4:
      return judgeRefusal(answer);
    case 5:
      if (isEndOfWork(operation, meta)) return { outcome: 'DONE', body: bodyOf(json), meta };
      if (context.serverErrors === 'free' && (meta.charged ?? 0) <= 0) return judgeRefusal(answer);
  }
  return { outcome: 'UNKNOWN', reason: `HTTP ${status}`, meta };
}

/** A reproduced error that reports consumption is how the work ended: asking again would return the same. */
function isEndOfWork({ answer }: Operation<string>, { charged, searchLogId }: AnswerMeta): boolean {
  return answer === 'reproduced' && (charged !== null || searchLogId !== null);
}

/** The charge is fixed by the status line alone: a garbled 202 is still pending work, with or without an id. */
function judgePending({ head, json, meta }: ReadAnswer): Judgement {
  const pending = readPending(bodyOf(json), head.headers['location']);
  return { outcome: 'PENDING', pending, hintMs: readHintMs(head, pending.hints), meta };
}

function judgeSuccess(operation: Operation<string>, { head, json, meta }: ReadAnswer): Judgement {
  if (needsNoBody(operation, head, json)) return { outcome: 'DONE', body: undefined, meta };
  const problem = bodyProblem(operation, json);
  return problem === undefined
    ? { outcome: 'DONE', body: bodyOf(json), meta }
    : { outcome: 'CHARGED_LOST', reason: `HTTP ${head.status}, but ${problem}` };
}

/** Only the status says what a DELETE did (RFC 9110, 9.3.5): 204 has no body, and no other status promises one. */
function needsNoBody({ method, answer }: Operation<string>, { status }: AnswerHead, json: ParsedJson): boolean {
  // The reproduced operation may have been a DELETE too.
  return (method === 'DELETE' && !isJsonObject(bodyOf(json))) || (answer === 'reproduced' && status === 204);
}

/** Judged by content, not by its declared type: a paid JSON answer with a wrong label is not lost. */
function bodyProblem(operation: Operation<string>, json: ParsedJson): string | undefined {
  if (!json.ok) return json.problem;
  if (json === FILE) return mayBeFile(operation) ? undefined : 'the answer is a PDF';
  if (operation.answer === 'pdf') return 'the answer is not a PDF';
  const isWellFormed = isJsonObject(json.value) || (Array.isArray(json.value) && mayBeList(operation));
  return isWellFormed ? undefined : 'the body is not a JSON object';
}

function judgeRefusal({ head, json, meta }: ReadAnswer): Judgement {
  const error = readErrorBody(bodyOf(json));
  return {
    outcome: 'REJECTED',
    error,
    aboutBalance: isAboutBalance(head.status, error),
    retryAfterMs: readHintMs(head),
    meta,
  };
}
