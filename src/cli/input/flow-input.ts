/** Flags and `--input` of `tramita start` → one input object. What is in it is checked by the flow's own rules. Pure. */

/** Typed flags as commander gives them; absent ones are undefined. */
export interface StartFlags {
  readonly cnj?: string;
  readonly account?: string;
  readonly documents?: boolean;
  readonly maxPages?: string;
  readonly download?: boolean;
  readonly relist?: boolean;
  readonly maxAge?: string;
  readonly once?: string;
  readonly webhook?: string;
  readonly maxSpend?: string;
  readonly operation?: string;
  /** JSON. */
  readonly params?: string;
  /** JSON. */
  readonly body?: string;
  /** JSON. */
  readonly filters?: string;
  /** With commas. */
  readonly include?: string;
  readonly requestId?: string;
  readonly from?: string;
  readonly to?: string;
}

export type BuiltInput =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

export function buildFlowInput(json: string | undefined, flags: StartFlags): BuiltInput {
  const given = json === undefined ? {} : parseObject(json);
  if (given === undefined) return bad('--input: expected one JSON object, like \'{"cnj":"…"}\'');
  const fromFlags: Readonly<Record<string, unknown>> = {
    ...flags,
    maxPages: maxPagesOf(flags.maxPages),
    webhook: webhookOf(flags.webhook),
    include: flags.include?.split(','),
    ...Object.fromEntries(JSON_FLAGS.map((name) => [name, jsonOf(flags[name])])),
  };
  for (const [member, value] of Object.entries(fromFlags)) {
    if (value !== undefined && member in given && given[member] !== value) {
      return bad(`--input and a flag say different things about "${member}"; give it once`);
    }
  }
  const defined = Object.entries(fromFlags).filter(([, value]) => value !== undefined);
  return { ok: true, input: { ...given, ...Object.fromEntries(defined) } };
}

const JSON_FLAGS = ['params', 'body', 'filters'] as const;

/** What is no object goes on as text: the flow's own check names the member. */
function jsonOf(text: string | undefined): Record<string, unknown> | string | undefined {
  return text === undefined ? undefined : (parseObject(text) ?? text);
}

/** What is no whole number goes on as text: the flow's own check names the member and what was seen. */
function maxPagesOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function webhookOf(text: string | undefined): boolean | string | undefined {
  if (text === 'true' || text === 'on') return true;
  return text === 'false' || text === 'off' ? false : text;
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function bad(problem: string): BuiltInput {
  return { ok: false, problem };
}
