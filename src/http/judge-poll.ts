/**
 * What one poll of `GET /v1/requests/{id}` means. Only the service's answer about the work ends polling; after anything
 * else the poll is repeated, because it is free. Pure.
 */
import { present, readErrorBody, type Amount, type Operation } from '../contract/index.js';
import { decideMissingKind } from './about-the-request.js';
import { bodyForMeta, readAnswerMeta } from './answer-meta.js';
import { judgeExchange } from './judge-exchange.js';
import { readHintMs } from './retry-timing.js';
import { parseStrictJson } from './strict-json.js';
import type { Exchange, Judgement } from './types.js';

export type PollVerdict =
  /** `charged`: what the work has cost, where the answer says so already, and its log id; the poll itself is free. */
  | {
      readonly end: 'still pending';
      readonly hintMs: number | null;
      readonly charged?: Amount;
      readonly searchLogId?: string;
    }
  /** The reproduced final answer, judged as the original call would have been. */
  | { readonly end: 'final'; readonly judgement: Judgement }
  /** A 5xx of the service without consumption: the reproduced final answer of the work, or a fault of the service. */
  | { readonly end: 'error'; readonly status: number; readonly judgement: Judgement }
  /** Nothing was learned; `hintMs` where the answer carried `Retry-After`. */
  | { readonly end: 'again'; readonly reason: string; readonly hintMs: number | null }
  | { readonly end: 'credentials'; readonly status: number }
  | { readonly end: 'forgotten'; readonly status: number };

/** Transient states of the service, which say nothing about the work (RFC 9110, 15.6.3 to 15.6.5). */
const PASSING = [502, 503, 504];

/**
 * `operation`: whose work is polled; its answer form decides whether a reproduced body is well formed. A final 5xx is about work
 * that was accepted and may have been paid, so it is never judged as free, whatever `serverErrors` says.
 */
export function judgePoll(exchange: Exchange, operation: Operation<string>): PollVerdict {
  if (exchange.kind === 'not_sent' || exchange.kind === 'no_answer') return again(exchange.reason);
  const { status } = exchange.head;
  if (status === 202) return stillPending(exchange, operation);
  if (status === 401) return { end: 'credentials', status };
  const isSuccess = status >= 200 && status < 300;
  // Asking again would return the same oversized body: the work has ended, its answer is lost.
  if (exchange.kind === 'cut' && !(isSuccess && exchange.tooLarge === true))
    return again(`HTTP ${status}, but ${exchange.reason}`, readHintMs(exchange.head));
  return exchange.kind !== 'answer' || isSuccess ? final(exchange, operation) : judgeRefusal(exchange, operation);
}

/** A complete answer that is no success: about the work, about this poll, or from an intermediary. */
function judgeRefusal(exchange: Extract<Exchange, { kind: 'answer' }>, operation: Operation<string>): PollVerdict {
  const { head } = exchange;
  const { status } = head;
  const json = parseStrictJson(exchange.body);
  const body = json.ok ? json.value : undefined;
  const { fromService } = readErrorBody(body);
  const { charged, searchLogId } = readAnswerMeta(bodyForMeta(json, exchange.body), head);
  // A refusal that names its consumption was made for the work, not for this free poll.
  const isOfWork = charged !== null || searchLogId !== null;
  if (status === 403) return isOfWork ? final(exchange, operation) : { end: 'credentials', status };
  if (status === 408 || status === 429) return again(`HTTP ${status}`, readHintMs(head));
  // Gateways do not send 402, so even a bare one comes from the service.
  const isRefusal = [402, 404, 410].includes(status) || (fromService && status >= 400 && status < 500);
  if (isRefusal) {
    return decideMissingKind(status, body) === 'forgotten' ? { end: 'forgotten', status } : final(exchange, operation);
  }
  if (fromService && status >= 500 && status < 600) {
    if (isOfWork) return final(exchange, operation);
    const isPassing = PASSING.includes(status);
    if (!isPassing) return { end: 'error', status, judgement: judgeExchange(operation, exchange) };
  }
  return again(`HTTP ${status} without an answer of the service`, readHintMs(head));
}

function final(exchange: Exchange, operation: Operation<string>): PollVerdict {
  return { end: 'final', judgement: judgeExchange(operation, exchange) };
}

function stillPending(exchange: Exchange, operation: Operation<string>): PollVerdict {
  const judgement = judgeExchange(operation, exchange);
  if (judgement.outcome !== 'PENDING') return { end: 'still pending', hintMs: null };
  const { charged, searchLogId } = judgement.meta;
  const paid = charged !== null && charged > 0 ? { charged, searchLogId: searchLogId ?? undefined } : {};
  return { end: 'still pending', hintMs: judgement.hintMs, ...present(paid) };
}

function again(reason: string, hintMs: number | null = null): PollVerdict {
  return { end: 'again', reason, hintMs };
}
