/**
 * How handlers read query and body: a schema first, then the decision. Invalid arguments are refused with 422, or with
 * the code that the schema names (`INVALID_WEBHOOK_URL`). Names that the interface does not show are accepted in every
 * spelling listed at the operation. Pure.
 */
import { z } from 'zod';
import { isCivilDate } from '../civil/calendar.js';
import { isWebhookUrl } from '../webhooks/delivery-target.js';
import type { OperationHandler, Verdict, View } from './types.js';
import { refused } from './verdicts.js';

export const positive = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);
export const civilDate = z.string().refine(isCivilDate, 'must be a date yyyy-MM-dd');
const decimal = z
  .string()
  .regex(/^\d{1,11}(\.\d{1,4})?$/, 'must be a decimal')
  .transform(Number);
export const year = z
  .string()
  .regex(/^(19|20)\d{2}$/, 'must be a year')
  .transform(Number);
/** Filters of payment orders, and the other names under which they are accepted. */
export const budgetFilters = {
  ano_orcamentario: year.optional(),
  ano_orcamentario_inicio: year.optional(),
  ano_orcamentario_fim: year.optional(),
  debtor: z.string().optional(),
  minValue: decimal.optional(),
  maxValue: decimal.optional(),
};
export const BUDGET_NAMES = {
  debtor: ['entidade_devedora', 'devedor'],
  minValue: ['valor_minimo', 'valor_min'],
  maxValue: ['valor_maximo', 'valor_max'],
};
/** Interface, rule 13. */
export const webhookUrl = z.unknown().superRefine((value, context) => {
  if (isWebhookUrl(value)) return;
  context.addIssue({
    code: 'custom',
    message: 'must be an https URL of a public host',
    params: { code: 'INVALID_WEBHOOK_URL' },
  });
});

/** Reads the query and, for POST and PUT, the body, which takes precedence. `names` maps our name to the accepted spellings. */
export function reading<Schema extends z.ZodType>(
  schema: Schema,
  names: Readonly<Record<string, readonly string[]>>,
  handler: (args: z.output<Schema>, view: View) => Verdict,
): OperationHandler {
  return (view) => {
    const given: Readonly<Record<string, unknown>> = { ...view.call.query, ...view.call.body };
    const picked = Object.entries(names).flatMap(([ours, spellings]): [string, unknown][] => {
      const found = [ours, ...spellings].find((spelling) => Object.hasOwn(given, spelling));
      return found === undefined ? [] : [[ours, given[found]]];
    });
    const parsed = schema.safeParse({ ...given, ...Object.fromEntries(picked) });
    if (parsed.success) return handler(parsed.data, view);
    const [issue] = parsed.error.issues;
    const code = issue?.code === 'custom' ? (issue.params?.['code'] as unknown) : undefined;
    const message = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`;
    return refused(422, typeof code === 'string' ? code : 'INVALID_PARAMETER', message);
  };
}

/** `page` and `limit`. The interface shows neither defaults nor maxima of `limit`. */
export function paging(options: { readonly limit: number; readonly max: number }): {
  readonly page: z.ZodDefault<typeof positive>;
  readonly limit: z.ZodType<number>;
} {
  return {
    page: positive.default(1),
    limit: positive.default(options.limit).transform((limit) => Math.min(limit, options.max)),
  };
}

export interface PageFacts {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

/** The paging members of a list, as observed: `total`, `pagination`, `links.next.href`. */
export function pageMembers(facts: PageFacts, view: View): Record<string, unknown> {
  const { page, limit, total } = facts;
  const last = Math.max(1, Math.ceil(total / limit));
  const next = nextHref({ page: String(page + 1), limit: String(limit) }, view);
  return {
    total,
    pagination: {
      current_page: page,
      per_page: limit,
      last_page: last,
      total,
      totalPages: last,
      from: total === 0 ? null : (page - 1) * limit + 1,
      to: total === 0 ? null : Math.min(page * limit, total),
    },
    links: { next: page < last ? { href: next } : null },
  };
}

/** The same call with other paging parameters, as an absolute link. */
export function nextHref(change: Readonly<Record<string, string>>, view: View): string {
  const path = view.call.operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(view.call.params[name] ?? ''),
  );
  return `${view.apiUrl}${path}?${new URLSearchParams({ ...view.call.query, ...change }).toString()}`;
}

/** The rows of `all` that are on the page, and the paging members. */
export function pageOf<Row>(
  all: readonly Row[],
  { page, limit }: { readonly page: number; readonly limit: number },
  view: View,
): { readonly rows: readonly Row[]; readonly members: Record<string, unknown> } {
  const facts = { page, limit, total: all.length };
  return { rows: placesOn(facts).flatMap((place) => all[place] ?? []), members: pageMembers(facts, view) };
}

/** The 0-based indexes of the rows on a page. */
export function placesOn({ page, limit, total }: PageFacts): readonly number[] {
  const first = (page - 1) * limit;
  return Array.from({ length: Math.max(0, Math.min(limit, total - first)) }, (_, index) => first + index);
}
