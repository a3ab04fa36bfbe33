/**
 * How a sandbox is set up: options, dialect and prices as one zod schema with defaults. Unknown members are refused, so
 * a misspelt switch cannot silently mean "default". What the interface does not show stands here and nowhere else.
 */
import { z } from 'zod';
import { parseAmount, type Amount } from '../src/contract/index.js';

const amount = z.string().transform((text, context): Amount => {
  const parsed = parseAmount(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be a decimal string with at most four places, e.g. "0.10"' });
  return z.NEVER;
});
const ms = z.int().min(0);
const port = z.int().min(0).max(65_535);

/** Where the interface is silent or was seen to differ (domain.md 7 and 13.4), the sandbox can behave either way. */
export const dialectSchema = z.strictObject({
  /** `as-observed`: snake members in refresh records. `as-spec`: camel members. Both inside the envelope. */
  records: z.enum(['as-observed', 'as-spec']).default('as-observed'),
  /** When a query that answers 202 is debited: with the 202, or when its work ends. */
  debitAt: z.enum(['answer', 'completion']).default('answer'),
  /** `location`: a 202 names its work in the `Location` header only. */
  pendingIdIn: z.enum(['body', 'location']).default('body'),
  /** `number`: the status record carries a number of its own instead of the request id. */
  statusIdIs: z.enum(['request', 'number']).default('request'),
  /** Above 0: the status shows the record *before* this refresh until so long after the request is final. */
  statusLagMs: ms.default(0),
  /** `refuse`: a POST without a JSON body is answered 400 (seen, domain.md 7.2). */
  emptyBody: z.enum(['accept', 'refuse']).default('accept'),
});
export type Dialect = z.output<typeof dialectSchema>;

export const webhookSchema = z.strictObject({
  /** https with a host of `webhookHostMap`, or any URL of a loopback host. */
  url: z.url(),
  secret: z.string().min(1).optional(),
  token: z.string().min(1).optional(),
  /** How the secret's text becomes key bytes: not stated by the interface. */
  secretForm: z.enum(['utf8', 'hex']).default('utf8'),
  format: z.enum(['NORMALIZED', 'RAW', 'BOTH', 'flat']).default('NORMALIZED'),
  active: z.boolean().default(true),
  /** Enabled events; absent: all. */
  events: z.array(z.string()).optional(),
});
export type WebhookConfig = z.output<typeof webhookSchema>;

export const settingsSchema = z.strictObject({
  /** Ports on 127.0.0.1; 0 takes a free one. */
  port: port.default(0),
  documentsPort: port.default(0),
  /** Same seed, same cases, documents and links. Ids of work are random: a service never repeats them. */
  seed: z.string().min(1).default('tramita'),
  /** Keeps charge book and pending work here, across restarts and SIGKILL. Absent: memory only. */
  dataDir: z.string().min(1).optional(),
  /** How long an ordinary refresh takes. */
  refreshMs: ms.default(3_000),
  /** How long the refresh of the slow persona takes. */
  slowRefreshMs: ms.default(30_000),
  /** Hint of a 202 to its client. */
  pollAfterMs: ms.default(1_000),
  /** Life of a signed link. */
  linkTtlMs: ms.default(600_000),
  openingBalance: amount.default(10_000_000 as Amount),
  /** The interface gives no price for these; they are settings of the sandbox. */
  prices: z
    .strictObject({
      requestRefresh: amount.default(1_000 as Amount),
      listPublicDocuments: amount.default(2_000 as Amount),
    })
    .prefault({}),
  dialect: dialectSchema.prefault({}),
  webhook: webhookSchema.optional(),
  /** Hosts of https webhook URLs → loopback origin that is called instead, e.g. `{"hooks.test": "http://127.0.0.1:8788"}`. */
  webhookHostMap: z.record(z.string(), z.url()).default({}),
  /** The interface gives no number; 11 was seen at a service of this kind (domain.md 6.3). */
  webhookMaxAttempts: z.int().min(1).default(11),
});
export type Settings = z.output<typeof settingsSchema>;
export type SandboxOptions = z.input<typeof settingsSchema>;

/** Throws an error that names every wrong member. */
export function parseSettings(options: SandboxOptions): Settings {
  const parsed = settingsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new Error(`tramita: sandbox options: ${describeIssues(parsed.error)}`);
}

export function describeIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || '(all)'}: ${issue.message}`).join('; ');
}
