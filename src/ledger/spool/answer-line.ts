/** One answer, or the note that the ledger has it, as a line of an answer log. Pure. */
import { isUtf8 } from 'node:buffer';
import { jsonOfLine, toLine } from '../journal/sum-line.js';
import type { SettlementFacts } from './answer-file.js';

export interface LoggedAnswer {
  readonly intentId: string;
  readonly atMs: number;
  readonly settlement: SettlementFacts;
  /** Null: it had no body. */
  readonly bytes: Buffer | null;
}

export type AnswerLine =
  { readonly kind: 'answer'; readonly answer: LoggedAnswer } | { readonly kind: 'settled'; readonly intentId: string };

interface Written {
  /** First, so that it can still be found in a line that was cut. */
  readonly intentId: string;
  readonly settled?: true;
  readonly atMs?: number;
  readonly settlement?: SettlementFacts;
  readonly text?: string;
  /** A body that is not valid UTF-8. */
  readonly base64?: string;
}

export function buildAnswerLine({ intentId, atMs, settlement, bytes }: LoggedAnswer): string {
  const body = bytes === null ? {} : isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
  const written: Written = { intentId, atMs, settlement, ...body };
  return toLine(JSON.stringify(written));
}

export function buildSettledLine(intentId: string): string {
  const written: Written = { intentId, settled: true };
  return toLine(JSON.stringify(written));
}

/** Undefined when the line is not whole. */
export function parseAnswerLine(line: string): AnswerLine | undefined {
  const json = jsonOfLine(line);
  if (json === undefined) return undefined;
  const { intentId, settled, atMs = 0, settlement, ...body } = JSON.parse(json) as Written;
  if (settled === true || settlement === undefined) return { kind: 'settled', intentId };
  return { kind: 'answer', answer: { intentId, atMs, settlement, bytes: bytesOf(body) } };
}

function bytesOf({ text, base64 }: Pick<Written, 'text' | 'base64'>): Buffer | null {
  if (text !== undefined) return Buffer.from(text);
  return base64 === undefined ? null : Buffer.from(base64, 'base64');
}

/** The intent id of a damaged answer, if it can still be read. */
export function idInDamaged(line: string): string | undefined {
  return /"intentId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})","atMs"/.exec(line)?.[1];
}
