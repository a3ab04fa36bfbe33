/**
 * Response data: what operations produce and the transport writes. Bodies are bytes from here on, so that the hash in
 * the charge book is of exactly what the client reads. Pure.
 */
import { formatAmount, type Amount, present } from '../src/contract/index.js';

export interface Answer {
  readonly status: number;
  /** Lower-case names. `content-length` and `date` are the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What `meta` reports about money. It is stored, because a reproduced final repeats it. */
export interface Paid {
  readonly charged: Amount;
  readonly balanceAfter: Amount;
  readonly metaRequestId: string;
  /** null for free calls (interface "Envelope of a successful response"). */
  readonly searchLogId: string | null;
}

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function pdfAnswer(body: Buffer, filename: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const own = { 'content-type': 'application/pdf', 'content-disposition': `attachment; filename="${filename}"` };
  return { status: 200, headers: { ...own, ...headers }, body };
}

/** The service's error body. The interface promises only `error.code`; `message` is as observed. */
export function refuse(status: number, code: string, message: string): Answer {
  return jsonAnswer(status, { error: { code, message } });
}

/** `search`: what a search says about itself, in `meta.search`. */
export function envelope(data: unknown, paid: Paid, servedAtMs: number, search?: object): unknown {
  return {
    data,
    meta: {
      creditsCharged: amountNumber(paid.charged),
      creditsRemaining: amountNumber(paid.balanceAfter),
      requestId: paid.metaRequestId,
      searchLogId: paid.searchLogId,
      servedAt: timeOfDay(servedAtMs),
      ...present({ search }),
    },
  };
}

/** The service writes amounts as JSON numbers; the shortest decimal text keeps them exact to 1/10,000. */
export function amountNumber(amount: Amount): number {
  return Number(formatAmount(amount));
}

/** `HH:MM:SS` in America/Sao_Paulo, UTC-3 all year since 2019 (tz database). */
function timeOfDay(timeMs: number): string {
  return new Date(timeMs - 3 * 3_600_000).toISOString().slice(11, 19);
}
