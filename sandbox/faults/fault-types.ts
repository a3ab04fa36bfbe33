/**
 * The faults that can be armed (F0–F18, `drift` and `status`), as one schema. A fault is armed for one
 * operation, and for one case if it names one, fires `times` times after letting `after` matching requests pass, and is
 * counted. Pure.
 */
import { z } from 'zod';
import { cnjDigits, OPERATIONS } from '../../src/contract/index.js';

const operations = [...OPERATIONS.map((operation) => operation.id), 'downloadDocument', '*'] as const;
const ofAnyCase = {
  operation: z.enum(operations),
  times: z.int().min(1).max(1_000_000).default(1),
  after: z.int().min(0).default(0),
};
const common = {
  ...ofAnyCase,
  /** Only requests about this case: those that name it in their path, and the polls of its work. */
  cnj: z
    .string()
    .refine((text) => cnjDigits(text) !== undefined, { error: 'must be a case number' })
    .transform((text) => cnjDigits(text))
    .optional(),
};
const delayMs = z.int().min(0).max(600_000);

export const faultSchema = z.discriminatedUnion('fault', [
  /** F1: reset once the request is read · F3: cut before the charge · F4: charge, cut before the first byte · F5: cut in the head. */
  z.strictObject({ ...common, fault: z.enum(['F1', 'F3', 'F4', 'F5']) }),
  /** The listener is closed for `ms`: connections are refused. A window, because refused connections cannot be counted. */
  z.strictObject({ fault: z.literal('F0'), operation: z.literal('*').default('*'), ms: delayMs.min(1).default(1_000) }),
  /** Half of the body, then the connection is cut: under a Content-Length, in a chunked body, or as a clean end without any length. */
  z.strictObject({ ...common, fault: z.literal('F6'), cut: z.enum(['length', 'chunked', 'close']).default('length') }),
  /** Hangs (real time), then charges and answers if the client is still there. */
  z.strictObject({ ...common, fault: z.literal('F7'), ms: delayMs.default(40_000) }),
  z.strictObject({
    ...common,
    fault: z.literal('F8'),
    everyMs: delayMs.default(200),
    bytes: z.int().min(1).default(16),
  }),
  z.strictObject({
    ...common,
    fault: z.literal('F9'),
    status: z.union([z.literal(500), z.literal(502), z.literal(504)]).default(500),
  }),
  /** A 202 is lost: charged, then reset. Fires on an answer that is a 202. */
  z.strictObject({ ...common, fault: z.literal('F10') }),
  /** The final of a poll is lost. Fires on a reproduced final. */
  z.strictObject({ ...common, fault: z.literal('F11') }),
  /** A success that cannot be read: an HTML page, a cut gzip stream, cut JSON with the right length, no body, another type. */
  z.strictObject({
    ...common,
    fault: z.literal('F12'),
    variant: z.enum(['html', 'gzip', 'json', 'empty', 'type']).default('html'),
  }),
  z.strictObject({ ...common, fault: z.literal('F13'), bytes: z.int().min(1).max(50_000_000).default(2_500_000) }),
  /** F15: 302 after the charge · F16: links of the answer lead to `to`. Default: the documents origin. */
  z.strictObject({ ...common, fault: z.enum(['F15', 'F16']), to: z.url().optional() }),
  /** The TLS handshake is cut: on the TLS listener only, where the operation is not known yet. */
  z.strictObject({ ...ofAnyCase, operation: z.literal('*').default('*'), fault: z.literal('F2') }),
  /** An idle connection is gone: fires on a request on a reused connection; `charged`: the service still read the request. */
  z.strictObject({ ...common, fault: z.literal('F14'), charged: z.boolean().default(false) }),
  /** `atualizadoEm` has changed, the next link leads to the page itself, or it leads back to page 1. */
  z.strictObject({
    ...common,
    fault: z.literal('F17'),
    variant: z.enum(['version', 'self', 'first']).default('version'),
  }),
  /** Records with drift, beyond F18: an item twice, an item without its number, unknown members. */
  z.strictObject({
    ...common,
    fault: z.literal('drift'),
    variant: z.enum(['duplicate-item', 'no-cnj', 'unknown-members']).default('unknown-members'),
  }),
  z.strictObject({ ...ofAnyCase, operation: z.literal('getBalance').default('getBalance'), fault: z.literal('F18') }),
  /** Any status instead of an answer; nothing is charged. */
  z.strictObject({
    ...common,
    fault: z.literal('status'),
    status: z.int().min(200).max(599),
    /** Sent as the `Retry-After` header, as given. */
    retryAfter: z.union([z.string(), z.number()]).optional(),
    /** A string is sent as text, anything else as JSON. */
    body: z.unknown().optional(),
  }),
]);
/** A fault as the caller passes it; members with a default are optional. */
export type FaultInput = z.input<typeof faultSchema>;
export type FaultSpec = z.output<typeof faultSchema>;
export type Fault = Exclude<FaultSpec, { fault: 'F0' }>;
export type FaultOf<Name extends FaultSpec['fault']> = Extract<FaultSpec, { fault: Name }>;

/** Faults that strike before the operation is performed, so that nothing is charged (F7 charges later). */
export function strikesBefore(fault: Fault): boolean {
  if (fault.fault === 'F14') return !fault.charged;
  return ['F1', 'F3', 'F7', 'F18', 'status'].includes(fault.fault);
}
