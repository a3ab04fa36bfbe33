/**
 * One spooled answer as bytes: a line of JSON with the settlement and the body's length and hash, then the body as it came. They
 * show whether a file was cut or changed. Pure.
 */
import { createHash } from 'node:crypto';
import { LINE_END } from '../journal/sum-line.js';
import type { Settlement } from '../settlement.js';

export type SettlementFacts = Omit<Settlement, 'body'> & { readonly contentType?: string | null };

interface Head {
  readonly version: 1;
  readonly intentId: string;
  readonly settlement: SettlementFacts;
  readonly bodyBytes: number | null;
  readonly bodySha256: string | null;
}

export function buildAnswerFile(intentId: string, settlement: SettlementFacts, bytes: Buffer | null): Buffer {
  const head: Head = {
    version: 1,
    intentId,
    settlement,
    bodyBytes: bytes?.length ?? null,
    bodySha256: bytes === null ? null : sha256(bytes),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes ?? Buffer.alloc(0)]);
}

/** Undefined when the file is not whole or belongs to another intent. */
export function parseAnswerFile(intentId: string, file: Buffer): Settlement | undefined {
  const end = file.indexOf(LINE_END);
  const head = end === -1 ? undefined : parseHead(file.subarray(0, end).toString('utf8'));
  if (head?.version !== 1 || head.intentId !== intentId || typeof head.settlement?.state !== 'string') return undefined;
  const bytes = file.subarray(end + 1);
  if (head.bodySha256 === null) return bytes.length === 0 ? settlementOf(head.settlement, null) : undefined;
  if (head.bodyBytes !== bytes.length || head.bodySha256 !== sha256(bytes)) return undefined;
  return settlementOf(head.settlement, bytes);
}

/** The stored facts of an answer, together with its body. */
export function settlementOf({ contentType = null, ...settlement }: SettlementFacts, bytes: Buffer | null): Settlement {
  return bytes === null ? settlement : { ...settlement, body: { bytes, contentType } };
}

/** Applies `change` to the facts and to the body, and builds a whole file again; undefined if `change` changes neither. */
export function changeAnswerFile(file: Buffer, change: (text: Buffer) => Buffer): Buffer | undefined {
  const end = file.indexOf(LINE_END);
  const head = end === -1 ? undefined : parseHead(file.subarray(0, end).toString('utf8'));
  // A damaged file is kept for a person, so its raw bytes are changed.
  if (head?.version !== 1 || head.intentId === undefined || parseAnswerFile(head.intentId, file) === undefined) {
    const changed = change(file);
    return changed.equals(file) ? undefined : changed;
  }
  const facts = Buffer.from(JSON.stringify(head.settlement));
  const bytes = head.bodySha256 === null ? null : file.subarray(end + 1);
  const [newFacts, newBytes] = [change(facts), bytes === null ? null : change(bytes)];
  if (newFacts.equals(facts) && (bytes === null || newBytes?.equals(bytes) === true)) return undefined;
  return buildAnswerFile(head.intentId, JSON.parse(newFacts.toString('utf8')) as SettlementFacts, newBytes);
}

function parseHead(line: string): Partial<Head> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
