/**
 * Shape of the JSON file named by `TRAMITA_CONFIG`: strict objects, every member optional, no defaults (they
 * are applied when the layers are put together). Values are checked by the same parsers as the environment's. String
 * values are not repeated in problems: a key pasted into `apiKeyEnv` must not end up in a log.
 */
import { z } from 'zod';
import { ARCHIVE_AT_LEAST_MS, DAY_MS } from '../contract/values/index.js';
import { ACCOUNT_NAME, type Parsed } from '../protocol/index.js';
import { nearestName } from './nearest.js';
import { parseApiUrl, parseMoney } from './parse-values.js';
import { KEPT_PLACES, parseKept, type KeptPlace } from './retention.js';

/** Interface "Limits" names 60 and 500 a minute; the upper bounds here only catch mistakes. */
const MAX_REQUESTS_PER_MINUTE = 100_000;
const MAX_CONCURRENCY = 1_000;
const MAX_OUTAGE_AFTER = 1_000;
const MAX_DAYS = 3_650;
/** The relay holds one connection while it signals; the others are for calls. */
export const LEAST_CONNECTIONS = 2;
export const MOST_CONNECTIONS = 200;
const LEAST_ARCHIVE_DAYS = ARCHIVE_AT_LEAST_MS / DAY_MS;
const MAX_WORD = 60;

const checked = <T>(parse: (text: string) => Parsed<T>) =>
  z.string().transform((text, context): T => {
    const parsed = parse(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });

const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys(shape);
      const unknown = issue.keys.map((key) => `"${key.slice(0, MAX_WORD)}"`).join(', ');
      const meant = nearestName(issue.keys[0] ?? '', known);
      return `unknown member ${unknown}; did you mean "${meant ?? ''}"? Known members: ${known.join(', ')}`;
    },
  });

/** A name that is put into a URL or a JSON path as it is, so it must not be able to change the request. */
const token = z.string().regex(/^[A-Za-z_][\w-]{0,59}$/, 'expected a plain name of letters, digits, "_" and "-"');
const dottedPath = z
  .string()
  .regex(/^[A-Za-z_][\w-]{0,59}(\.[A-Za-z_][\w-]{0,59}){0,5}$/, 'expected names joined by dots, like "data.status"');
const variableName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{0,99}$/,
    'expected the name of an environment variable, like TRAMITA_API_KEY (not its value)',
  );
const operationId = z.string().regex(/^[a-z][A-Za-z0-9]{0,59}$/, 'expected an operation id, like requestRefresh');
const accountName = z.string().regex(ACCOUNT_NAME, 'expected a name of letters, digits, "-" and "_"');
// No `.` and `..` segments: they would leave the path, and bypass the check that the route is not a known one.
const PATH = /^\/v\d+(\/(?!\.{1,2}(?:\/|$))([\w.~-]+|\{[A-Za-z]\w*\}))+$/;
const PATH_RULE = 'expected a path like /v1/processos/cnj/{cnj}, without query';
const servicePath = z.string().regex(PATH, PATH_RULE);
const word = z.string().min(1).max(MAX_WORD);
const money = checked(parseMoney);

const accountSchema = strict({
  apiUrl: checked(parseApiUrl).nullable().optional(),
  apiKeyEnv: variableName.optional(),
  auth: z.enum(['x-api-key', 'bearer']).optional(),
  exclusive: z.boolean().optional(),
  debitAt: z.enum(['unknown', 'answer', 'completion']).optional(),
  refunds: z.enum(['unknown', 'never']).optional(),
  serverErrors: z.enum(['unknown', 'free']).optional(),
  maxSpendPerDay: money.nullable().optional(),
  maxSpendPerFlow: money.nullable().optional(),
  minBalance: money.nullable().optional(),
  requestsPerMinute: z.int().min(1).max(MAX_REQUESTS_PER_MINUTE).optional(),
  pollsPerMinute: z.int().min(1).max(MAX_REQUESTS_PER_MINUTE).optional(),
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).optional(),
  outageAfter: z.int().min(0).max(MAX_OUTAGE_AFTER).optional(),
  maskCnj: z.boolean().optional(),
  webhookSecretsEnv: variableName.optional(),
  webhookTokensEnv: variableName.optional(),
  webhooks: z.enum(['on', 'off']).optional(),
});

const flagSchema = strict({
  name: token.optional(),
  in: z.enum(['query', 'body']).optional(),
  true: z.literal(['true', 1, true]).optional(),
});

const words = z.array(word).optional();

const gapsSchema = strict({
  oabNumberParam: token.optional(),
  oabStateParam: token.optional(),
  documentsFlag: flagSchema.optional(),
  callbackFlag: flagSchema.optional(),
  summaryPath: servicePath
    .refine((path) => path.split('{cnj}').length === 2, 'expected exactly one {cnj} in the path')
    .optional(),
  termPageParam: token.optional(),
  updateMonitorOabIn: z.enum(['query', 'body']).optional(),
  classificationField: z.array(dottedPath).min(1).optional(),
  statusField: z.array(dottedPath).min(1).optional(),
  statusWords: strict({ running: words, done: words, empty: words, failed: words }).optional(),
  filters: z.record(operationId, z.record(token, token)).optional(),
});

const operationSchema = strict({
  id: operationId,
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  path: servicePath,
  // Cautious defaults: the call costs money, and a 202 is waited for.
  charge: z.enum(['free', 'presumed free', 'per call']).default('per call'),
  eligible202: z.boolean().default(true),
});

const kept = (place: KeptPlace) => checked((text) => parseKept(place, text)).optional();
const retentionSchema = strict(
  Object.fromEntries(KEPT_PLACES.map((place) => [place, kept(place)])) as Record<KeptPlace, ReturnType<typeof kept>>,
);

export const fileSchema = strict({
  accounts: z.record(accountName, accountSchema).optional(),
  prices: z.record(operationId, money).optional(),
  gaps: gapsSchema.optional(),
  operations: z.array(operationSchema).optional(),
  journalDays: z.int().min(1).max(MAX_DAYS).nullable().optional(),
  archiveDays: z
    .int()
    .min(LEAST_ARCHIVE_DAYS, {
      error: ({ input }) =>
        `seen ${String(input)}; expected at least ${LEAST_ARCHIVE_DAYS}: flows, waiters and evidence look back at younger rows`,
    })
    .max(MAX_DAYS)
    .nullable()
    .optional(),
  eventBodiesDays: z.int().min(1).max(MAX_DAYS).nullable().optional(),
  retention: retentionSchema.optional(),
  databaseConnections: z.int().min(LEAST_CONNECTIONS).max(MOST_CONNECTIONS).nullable().optional(),
});

export type FileSettings = z.infer<typeof fileSchema>;
export type FileAccount = z.infer<typeof accountSchema>;
export type FileGaps = z.infer<typeof gapsSchema>;
