/**
 * Decides which record of a listing an unknown call has created or changed. Pure. The record must match the request and must be
 * new; two such records decide nothing, because one may belong to another caller.
 */
import {
  atPath,
  isJsonObject,
  readOabQuery,
  textOf,
  type Json,
  type JsonObject,
  type NoticeMonitor,
  type Radar,
} from '../../contract/index.js';
import { camelCase } from '../../contract/json.js';

export type ListingVerdict =
  { readonly ours: true; readonly records: readonly Json[] } | { readonly ours: false; readonly because: string };

/** What is known besides the listing as it is now. */
export interface ListingFacts {
  /** Ids of active records before the call; undefined if that listing was not read to its end. */
  readonly before: readonly string[] | undefined;
  /** The present listing was read to its end, so no second match can be missing. */
  readonly complete: boolean;
  /** Ids that answers of other calls have named since the listing before the call. */
  readonly claimed: readonly string[];
  /** Another call of this kind is undecided: a record that does not show everything we asked for may belong to it. */
  readonly othersUndecided: boolean;
}

/** The members of the request without its registrations, under the service's names. */
type Definition = JsonObject;

/** Ours if every requested registration has an active monitor now, and at least one of these monitors is new. */
export function decideCreatedNoticeMonitors(
  asked: { readonly oabs: readonly string[]; readonly definition: Definition },
  listed: readonly NoticeMonitor[],
  facts: ListingFacts,
): ListingVerdict {
  const problem = factsProblem(facts);
  if (problem !== undefined) return no(problem);
  const records = new Set<Json>();
  // A monitor with further registrations belongs to another call.
  const mayBeOurs = ({ oabs }: NoticeMonitor): boolean => oabs.every((oab) => asked.oabs.includes(oab));
  for (const oab of asked.oabs) {
    const active = listed.filter((monitor) => monitor.oabs.includes(oab) && monitor.active === true);
    const verdict = onlyNewMatch(active.filter(mayBeOurs), asked.definition, facts);
    if (verdict.ours) verdict.records.forEach((record) => records.add(record));
    else if (!active.some(({ id }) => id !== null && facts.before?.includes(id) === true)) return verdict;
  }
  return records.size === 0 ? no('no new entry matches') : { ours: true, records: [...records] };
}

/** Ours if the monitor now shows everything that was asked for; whether it did before does not matter. */
export function decideUpdatedNoticeMonitor(
  asked: { readonly oab: string; readonly definition: Definition },
  listed: readonly NoticeMonitor[],
): ListingVerdict {
  const record = listed.find((monitor) => monitor.oabs.includes(asked.oab) && monitor.active === true);
  if (record === undefined) return no('there is no active monitor');
  const members = Object.entries(asked.definition);
  if (members.length === 0) return no('the request sets nothing that a listing shows');
  const asAsked = members.every(([name, value]) => comparison(record.data, name, value) === 'equal');
  return asAsked ? { ours: true, records: [record.data] } : no('the monitor differs from the request');
}

/** Ours if exactly one new radar matches the request. */
export function decideCreatedRadar(
  definition: Definition,
  listed: readonly Radar[],
  facts: ListingFacts,
): ListingVerdict {
  const problem = factsProblem(facts);
  if (problem !== undefined) return no(problem);
  const term = TERMS.map((name) => textOf(definition[name])).find((text) => text !== undefined);
  if (term === undefined) return no('the request has no term to find it by');
  const rest = Object.fromEntries(Object.entries(definition).filter(([name]) => !TERMS.includes(name)));
  const named = listed.filter((radar) => radar.term === term && radar.active !== false);
  return onlyNewMatch(named, rest, facts);
}

/** Registrations of a call, from a list or a single one. `members` are those of the request as it is sent. */
export function askedOabs(
  members: JsonObject,
  names: { readonly oabNumberParam: string; readonly oabStateParam: string },
): readonly string[] {
  const list = members['oabs'];
  const single = { numero: members[names.oabNumberParam], estado: members[names.oabStateParam] };
  const given: readonly unknown[] = Array.isArray(list)
    ? (list as unknown[])
    : typeof list === 'string'
      ? list.split(',')
      : [single];
  return given.flatMap((value) => readOabQuery(value) ?? []);
}

const TERMS: readonly string[] = ['termo', 'term', 'nome'];

function factsProblem({ before, complete }: ListingFacts): string | undefined {
  if (before === undefined) return 'it was not read completely before the call';
  return complete ? undefined : 'it could not be read completely';
}

function onlyNewMatch(
  listed: readonly (NoticeMonitor | Radar)[],
  definition: Definition,
  { before = [], claimed, othersUndecided }: ListingFacts,
): ListingVerdict {
  const members = Object.entries(definition);
  const fresh = listed.filter(
    ({ id, data }) =>
      id !== null &&
      !before.includes(id) &&
      !claimed.includes(id) &&
      members.every(([name, value]) => comparison(data, name, value) !== 'different'),
  );
  const [only] = fresh;
  if (only === undefined) return no('no new entry matches');
  if (fresh.length > 1) return no('more than one new entry matches');
  const whole = members.every(([name, value]) => comparison(only.data, name, value) === 'equal');
  return whole || !othersUndecided
    ? { ours: true, records: [only.data] }
    : no('the new entry may belong to another undecided call');
}

/** Members that may show the webhook's address: records need not use the request's name for it. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  webhook_url: ['webhook_url', 'webhookUrl', 'webhook.url', 'callback.url'],
};

function comparison(record: Json, name: string, asked: Json): 'equal' | 'different' | 'not shown' {
  const places = ELSEWHERE[name] ?? [name, camelCase(name)];
  const shown = places.map((place) => atPath(record, place)).find((value) => value !== undefined && value !== null);
  if (shown === undefined) return Array.isArray(asked) && asked.length === 0 ? 'equal' : 'not shown';
  return plain(shown) === plain(asked) ? 'equal' : 'different';
}

/** One spelling of a value: numbers as text, lists without order, members sorted. */
function plain(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify([...new Set((value as unknown[]).map(plain))].sort());
  if (isJsonObject(value)) {
    return JSON.stringify(
      Object.keys(value)
        .sort()
        .map((key) => [key, plain(value[key])]),
    );
  }
  return typeof value === 'string' ? value.trim() : String(value);
}

function no(because: string): ListingVerdict {
  return { ours: false, because };
}
