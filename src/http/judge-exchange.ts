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
import { figuresOf, readAnswerMeta } from './answer-meta.js';
import { readHintMs } from './retry-timing.js';
import { parseStrictJson, type ParsedJson } from './strict-json.js';
import type { AnswerHead, Exchange, Judgement } from './types.js';

/** `free`: the account knows that a 5xx costs nothing (configuration, `serverErrors`). */
type ServerErrors = 'unknown' | 'free';

export interface JudgeContext {
  /** Our clock, epoch ms; only hints are read against it, and only where the answer has no `Date`. */
  readonly nowMs: number;
  /** Default `unknown`. */
  readonly serverErrors?: ServerErrors;
}

export function judgeExchange(operation: Operation<string>, exchange: Exchange, context: JudgeContext): Judgement {
  switch (exchange.kind) {
    case 'not_sent':
      return { outcome: 'NOT_SENT', reason: exchange.reason };
    case 'no_answer':
      return { outcome: 'UNKNOWN', reason: exchange.reason, meta: readAnswerMeta(undefined, NO_HEAD) };
    case 'cut':
      return judgeAnswer(operation, { head: exchange.head, json: { ok: false, problem: exchange.reason } }, context);
    case 'answer':
      return judgeAnswer(
        operation,
        { head: exchange.head, json: readAnswer(operation, exchange), bytes: exchange.body },
        context,
      );
    case 'file':
      return judgeAnswer(operation, { head: exchange.head, json: FILE }, context);
  }
}

interface ReadAnswer {
  readonly head: AnswerHead;
  readonly json: ParsedJson;
  /** Of a whole answer in memory. */
  readonly bytes?: Buffer;
}

/** Stands for a whole file, or a text: its content does not matter here. */
const FILE: ParsedJson = { ok: true, value: undefined };

/** A PDF that came without a sink is as whole as the answer; anything else is read as JSON, or as the text of other work. */
function readAnswer(operation: Operation<string>, { head, body }: Answer): ParsedJson {
  if (mayBeFile(operation) && isPdf(body)) return FILE;
  const json = parseStrictJson(body);
  return !json.ok && operation.answer === 'reproduced' && isPlainText(head, body) ? FILE : json;
}

type Answer = Pick<Extract<Exchange, { kind: 'answer' }>, 'head' | 'body'>;

/** By its label: a page is that of a gateway, and what is called JSON and is none is garbled. */
function isPlainText({ headers }: AnswerHead, body: Buffer): boolean {
  return body.length > 0 && /^text\/plain\b/i.test(headers['content-type'] ?? '');
}

/** Reproduced work may be of any kind. */
function mayBeFile({ answer }: Operation<string>): boolean {
  return answer === 'pdf' || answer === 'reproduced';
}

function mayBeList({ paging, answer, bareList }: Operation<string>): boolean {
  return paging !== 'none' || answer === 'legacy' || answer === 'reproduced' || bareList === true;
}

const NO_HEAD: AnswerHead = { status: 0, headers: {}, receivedAtMs: 0 };

function judgeAnswer(operation: Operation<string>, answer: ReadAnswer, context: JudgeContext): Judgement {
  const { head, json, bytes } = answer;
  const { status } = head;
  const body = json.ok ? json.value : undefined;
  const meta = readAnswerMeta(bytes === undefined ? body : figuresOf(json, bytes), head);
  if (status === 202) return judgePending(answer, meta, context);
  if (status >= 200 && status < 300) return judgeSuccess(operation, json, meta, status);
  if (status === 408)
    return { outcome: 'UNKNOWN', reason: 'HTTP 408: the service gave up waiting, the outcome is unknown', meta };
  if (status >= 400 && status < 500) return judgeRefusal(answer, meta, context);
  // Reproduced with what it has consumed, an error is how the work has ended: asked again it would be the same.
  const isEnd = operation.answer === 'reproduced' && (meta.charged !== null || meta.searchLogId !== null);
  if (isEnd && status >= 500 && status < 600) return { outcome: 'DONE', body, meta };
  const toldCharge = meta.charged !== null && meta.charged > 0;
  if (status >= 500 && status < 600 && context.serverErrors === 'free' && !toldCharge) {
    return judgeRefusal(answer, meta, context);
  }
  return { outcome: 'UNKNOWN', reason: `HTTP ${status}`, meta };
}

/** The charge is fixed by the status line alone: a garbled 202 is still pending work, with or without an id. */
function judgePending({ head, json }: ReadAnswer, meta: AnswerMeta, { nowMs }: JudgeContext): Judgement {
  const pending = readPending(json.ok ? json.value : undefined, head.headers['location']);
  const hintMs = readHintMs({
    retryAfter: head.headers['retry-after'],
    hints: pending.hints,
    dateMs: head.dateMs,
    nowMs,
  });
  return { outcome: 'PENDING', pending, hintMs, meta };
}

/** Judged by content, not by its declared type: a paid JSON answer with a wrong label is not lost. */
function judgeSuccess(operation: Operation<string>, json: ParsedJson, meta: AnswerMeta, status: number): Judgement {
  // What a DELETE has done is said only by its status (RFC 9110, 9.3.5): 204 has no body, and no other is promised.
  if (operation.method === 'DELETE' && !(json.ok && isJsonObject(json.value))) {
    return { outcome: 'DONE', body: undefined, meta };
  }
  // Work of others may have been a DELETE as well.
  if (status === 204 && operation.answer === 'reproduced') return { outcome: 'DONE', body: undefined, meta };
  if (!json.ok) return { outcome: 'CHARGED_LOST', reason: `HTTP ${status}, but ${json.problem}` };
  if (json === FILE) {
    return mayBeFile(operation)
      ? { outcome: 'DONE', body: undefined, meta }
      : { outcome: 'CHARGED_LOST', reason: `HTTP ${status}, but the answer is a PDF` };
  }
  if (operation.answer === 'pdf') {
    return { outcome: 'CHARGED_LOST', reason: `HTTP ${status}, but the answer is no PDF` };
  }
  const wellFormed = isJsonObject(json.value) || (Array.isArray(json.value) && mayBeList(operation));
  if (!wellFormed) return { outcome: 'CHARGED_LOST', reason: `HTTP ${status}, but the body is not a JSON object` };
  return { outcome: 'DONE', body: json.value, meta };
}

function judgeRefusal({ head, json }: ReadAnswer, meta: AnswerMeta, { nowMs }: JudgeContext): Judgement {
  const error = readErrorBody(json.ok ? json.value : undefined);
  return {
    outcome: 'REJECTED',
    error,
    aboutBalance: isAboutBalance(head.status, error),
    retryAfterMs: readHintMs({ retryAfter: head.headers['retry-after'], dateMs: head.dateMs, nowMs }),
    meta,
  };
}
