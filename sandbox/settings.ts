/**
 * How a sandbox is set up: options, dialect and prices as one zod schema with defaults. Unknown members are refused, so
 * a misspelt switch cannot silently mean "default". Everything that the interface does not show is set here and nowhere
 * else.
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

/** Where the interface is silent or the service was seen to differ, the sandbox can behave either way. */
export const dialectSchema = z.strictObject({
  /** `as-observed`: members as seen. `as-spec`: camel case. `mixed`: both spellings side by side. */
  records: z.enum(['as-observed', 'as-spec', 'mixed']).default('as-observed'),
  /** When a query that answers 202 is debited: with the 202, or when its work ends. */
  debitAt: z.enum(['answer', 'completion']).default('answer'),
  /** `location`: a 202 names its work in the `Location` header only. */
  pendingIdIn: z.enum(['body', 'location']).default('body'),
  /** `number`: the status record carries a number of its own instead of the request id. */
  statusIdIs: z.enum(['request', 'number']).default('request'),
  /** Above 0: the status shows the record *before* this refresh until this long after the request is final. */
  statusLagMs: ms.default(0),
  /** `refuse`: a POST without a JSON body is answered 400 (seen). */
  emptyBody: z.enum(['accept', 'refuse']).default('accept'),
  /** Status of a refusal because of the balance; the legacy search always answers 402 (interface, rule 11). */
  noCredit: z.union([z.literal(402), z.literal(403), z.literal(422)]).default(402),
  /** Eligible operations (catalogue ids, or `*`) that answer 202 first and take `queryMs`. */
  pending: z.array(z.string()).default([]),
  /** Pages above 1 of the lawyer's list answer 202 first, free of charge. */
  pendingFreePages: z.boolean().default(false),
  /** `key-required`: links of public documents lead to the API host and need the key. */
  documentLinks: z.enum(['signed', 'key-required']).default('signed'),
  /**
   * Lists of public documents. `stated`: with total, paging members and next link. `counted`: with their total only.
   * `unsaid`: a bare list, without any of these (the interface shows none). `ignored`: the same, and page 1 is returned
   * whatever page is requested.
   */
  documentPages: z.enum(['stated', 'counted', 'unsaid', 'ignored']).default('stated'),
  /** Where the body of a notice monitor has its registrations: in `oabs`, or flat as one `oab_estado` + `oab_numero`. */
  oabsIn: z.enum(['either', 'list', 'flat']).default('either'),
  /** Reading a summary that was never finished: a free 404, or a paid answer that says it is not ready. */
  unreadySummary: z.enum(['not-found', 'paid-empty']).default('not-found'),
  /** `no-content`: a deactivation answers 204 without a body. */
  deactivation: z.enum(['record', 'no-content']).default('record'),
  /** How `Retry-After` of a 429 is written. */
  retryAfter: z.enum(['seconds', 'date', 'none']).default('seconds'),
});
/** How the sandbox behaves where the interface is silent. */
export type Dialect = z.output<typeof dialectSchema>;

export const webhookSchema = z.strictObject({
  /** https with a host of `webhookHostMap`, or any URL of a loopback host. */
  url: z.url(),
  secret: z.string().min(1).optional(),
  token: z.string().min(1).optional(),
  /** How the secret's text becomes key bytes; the interface does not say. */
  secretForm: z.enum(['utf8', 'hex']).default('utf8'),
  format: z.enum(['NORMALIZED', 'RAW', 'BOTH', 'flat']).default('NORMALIZED'),
  active: z.boolean().default(true),
  /** Enabled events; absent: all. */
  events: z.array(z.string()).optional(),
});
/** Where and how the sandbox delivers its webhooks. */
export type WebhookConfig = z.output<typeof webhookSchema>;

const price = (text: number): ReturnType<typeof amount.default> => amount.default(text as Amount);

/**
 * What a call costs. The interface gives the last three only. Cover, documents, notices, monitors and the price per
 * result are as observed. The rest are settings of the sandbox, not knowledge of the service.
 */
const pricesSchema = z.strictObject({
  requestRefresh: price(1_000),
  listPublicDocuments: price(2_000),
  getCase: price(1_200),
  listMovements: price(500),
  requestSummary: price(6_000),
  getSummary: price(1_000),
  searchTerm: price(2_000),
  searchLegacy: price(2_000),
  /** Per result. */
  listCasesByDocument: price(1_444),
  /** Page 1. */
  listLawyerCases: price(5_000),
  listLawyerGazettes: price(1_000),
  /** Per registration and call. */
  listNotices: price(1_000),
  getPublication: price(500),
  listPrecatorios: price(3_000),
  /** Per new registration and 30 days. */
  createNoticeMonitor: price(9_000),
  /** Per 30 days. */
  createRadar: price(20_000),
  createCaseMonitor: price(5_000),
  administrativeMonitor: price(10_000),
  getElectoralPublication: price(500),
  getElectoralEditionPdf: price(800),
  searchElectoralBoard: price(1_500),
});

export const settingsSchema = z.strictObject({
  /** Ports on 127.0.0.1; 0 takes a free one. */
  port: port.default(0),
  documentsPort: port.default(0),
  tlsPort: port.default(0),
  /** The same seed gives the same cases, documents and links. Ids of work are random: a service never repeats them. */
  seed: z.string().min(1).default('tramita'),
  /** Keeps charge book and pending work here, across restarts and SIGKILL. Absent: memory only. */
  dataDir: z.string().min(1).optional(),
  /** How long an ordinary refresh takes. */
  refreshMs: ms.default(3_000),
  /** How long the refresh of the slow persona takes. */
  slowRefreshMs: ms.default(30_000),
  /** Poll hint in a 202. */
  pollAfterMs: ms.default(1_000),
  /** Lifetime of a signed link. */
  linkTtlMs: ms.default(600_000),
  /** Lifetime of a request id after its work ended; then 404. Absent: forever. The interface shows none. */
  requestTtlMs: ms.optional(),
  /** How long a query takes that the dialect's `pending` names. */
  queryMs: ms.default(1_000),
  /** How long the coverage of a lawyer's list grows, from the first call on. */
  coverageMs: ms.default(60_000),
  corpus: z.enum(['tiny', 'firm', 'mass']).default('mass'),
  /** Per key (legacy: per key and per address), in a sliding minute of the sandbox's clock; 0 is off. */
  rateLimits: z
    .strictObject({
      /** Interface "Limits". */
      legacyPerMinute: z.int().min(0).default(30),
      /** Not shown by the interface; 60 and 500 were seen at services of this kind. */
      perMinute: z.int().min(0).default(0),
    })
    .prefault({}),
  /** Maximum number of requests in the log. */
  requestLogSize: z.int().min(1).default(20_000),
  openingBalance: amount.default(10_000_000 as Amount),
  prices: pricesSchema.prefault({}),
  dialect: dialectSchema.prefault({}),
  webhook: webhookSchema.optional(),
  /** Hosts of https webhook URLs → loopback origin that is called instead, e.g. `{"hooks.test": "http://127.0.0.1:8788"}`. */
  webhookHostMap: z.record(z.string(), z.url()).default({}),
  /** The interface gives no number; 11 was seen at a service of this kind. */
  webhookMaxAttempts: z.int().min(1).default(11),
});
export type Settings = z.output<typeof settingsSchema>;
/** Options of a sandbox, all optional. */
export type SandboxOptions = z.input<typeof settingsSchema>;

/** Throws an error that names every wrong member. */
export function parseSettings(options: SandboxOptions): Settings {
  const parsed = settingsSchema.safeParse(options, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = describeIssues(parsed.error, Object.keys(settingsSchema.shape));
  throw new Error(`tramita: sandbox options: ${problems}`);
}

/** `known`: the members at the top level. What was seen is shown if the error comes from a parse with `reportInput`. */
export function describeIssues(error: z.ZodError, known: readonly string[] = []): string {
  return error.issues
    .map((issue) => {
      const isUnknown = issue.code === 'unrecognized_keys' && issue.path.length === 0 && known.length > 0;
      const members = isUnknown ? `; known members are ${known.join(', ')}` : '';
      return `${issue.path.join('.') || '(all)'}: ${issue.message}${seenIn(issue)}${members}`;
    })
    .join('; ');
}

const SHOWN_CHARS = 60;

/** A single value that is no secret. An issue about a member that selects a form has the whole object as its input. */
function seenIn({ input, path }: z.core.$ZodIssue): string {
  const name = String(path.at(-1) ?? '');
  const value: unknown = Object(input) === input ? (input as Readonly<Record<string, unknown>>)[name] : input;
  const isShown = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (!isShown || /secret|token/i.test(name)) return '';
  // not JSON for a number: NaN
  const text = typeof value === 'number' ? `${value}` : JSON.stringify(value);
  return `; seen: ${text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}`;
}
