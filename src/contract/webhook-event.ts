/**
 * What the service posts to a webhook, enveloped (`{id, event, source, created_at, data, raw?}`, interface "Webhook
 * payload") or flat (`{uuid, event, …}`). Lenient: the body only has to be an object, and whatever can be read is returned.
 */
import { z } from 'zod';
import { atPath, isJsonObject, textOf, type JsonObject } from './json.js';
import {
  cnjDigits,
  formatOabQuery,
  isProbeCnj,
  parseOab,
  parseRequestId,
  present,
  type RequestId,
} from './values/index.js';

/** The body of a webhook with an envelope. */
export const webhookEventSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  uuid: z.string().optional(),
  event: z.string().optional(),
  created_at: z.string().optional(),
  data: z.unknown().optional(),
});

/** What a webhook says. */
export interface WebhookEvent {
  /** `id` or `uuid` of the signed body; undefined when there is none that can be a key. */
  readonly eventId?: string;
  /** Event name as sent, cut to 100 characters; `""` when missing. */
  readonly event: string;
  /** The event name with aliases merged; code compares this one. */
  readonly kind: string;
  /** `enveloped` as the interface shows it, `flat` as observed. */
  readonly form: 'enveloped' | 'flat';
  /** `created_at` as sent, ISO 8601 in UTC (interface "Webhook payload (normalized)"). */
  readonly createdAt?: string;
  /** Case numbers from all known places, twenty digits each, without the all-zero probe. */
  readonly cnjs: readonly string[];
  /** Ids of pending work that the event names, from all known places. */
  readonly requestIds: readonly RequestId[];
  /** `UF:number` keys of lawyers that the event names. */
  readonly oabs: readonly string[];
  /** True when the only number it carries is the all-zero probe. */
  readonly probe: boolean;
}

/** Where members may be: at the top, in the envelope, in a raw answer that was passed on, or in the work that has ended. */
const PLACES = ['', 'data', 'raw', 'data.data', 'data.resultado'];
/** Members of a place that are about its case or its request themselves; lists name other cases too. */
const ABOUT = ['', 'processo', 'movimentacao', 'movimentacao.processo', 'atualizacao', 'solicitacao', 'resultado'];
const CNJ_NAMES = [
  'numeroCnj',
  'numero_cnj',
  'numeroProcesso',
  'numero_processo',
  'numeroUnico',
  'numero_unico',
  'cnj',
];
const CNJ_PATHS = [
  ...pathsOf(ABOUT, CNJ_NAMES),
  ...pathsOf(['', 'movimentacao'], ['processo', 'processo_id']),
  ...pathsOf(['processo', 'movimentacao.processo'], ['numero', 'numero_novo']),
];
const REQUEST_PATHS = [
  ...pathsOf(['', 'atualizacao', 'solicitacao', 'atualizacao.solicitacao', 'resultado'], ['requestId', 'request_id']),
  ...pathsOf(['atualizacao', 'solicitacao'], ['id']),
];
const MAX_EVENT_ID = 300;
/** Two vocabularies for one event; the names of interface "Named in processing" stay. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['movimentacao_nova', 'nova_movimentacao'],
  ['atualizacao_concluida', 'atualizacao_processo_concluida'],
]);

/**
 * Event names that announce news about a case or a lawyer, never the end of requested work. From interface "Event names" and
 * from observation, each spelling as sent. The interface does not show which operation emits which name, so a name that could
 * announce an end (`processo_verificado`, `processo_encontrado` …) is not listed, nor is any unknown one.
 */
export const NEWS_EVENTS: readonly string[] = [
  'nova_movimentacao',
  'movimentacao_nova',
  'diario_movimentacao_nova',
  'publicacao_judicial_nova',
  'novo_processo',
  'novo_processo_envolvido',
  'novo_documento',
];

/** One name for an event that has two. Any other name stays as it is. */
export function canonicalEventName(event: string): string {
  return ALIASES.get(event) ?? event;
}

/** Undefined when `body` is not an object. */
export function readWebhookEvent(body: unknown): WebhookEvent | undefined {
  if (!isJsonObject(body)) return undefined;
  const places = PLACES.map((place) => (place === '' ? body : atPath(body, place))).filter(isJsonObject);
  const at = (paths: readonly (readonly string[])[]): unknown[] =>
    places.flatMap((place) => paths.map((path) => atPath(place, path)).filter((found) => found !== undefined));
  const numbers = unique(at(CNJ_PATHS).flatMap((found) => (typeof found === 'string' ? (cnjDigits(found) ?? []) : [])));
  const cnjs = numbers.filter((digits) => !isProbeCnj(digits));
  const eventId = eventIdOf(body['id']) ?? eventIdOf(body['uuid']);
  const event = (textOf(body['event']) ?? '').slice(0, 100);
  return {
    event,
    kind: canonicalEventName(event),
    form: isJsonObject(body['data']) ? 'enveloped' : 'flat',
    cnjs,
    requestIds: unique(at(REQUEST_PATHS).flatMap((found) => parseRequestId(found) ?? [])),
    oabs: unique(places.flatMap(oabOf)),
    probe: numbers.length > 0 && cnjs.length === 0,
    ...present({ eventId, createdAt: textOf(body['created_at'])?.slice(0, 40) }),
  };
}

/** A key must be a bounded string (or a whole number) without control characters. */
function eventIdOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || Number.isSafeInteger(value) ? textOf(value) : undefined;
  if (text === undefined || text.length > MAX_EVENT_ID) return undefined;
  return /\p{C}/u.test(text) ? undefined : text;
}

/** The lawyer that a place names: number and state as its members or in `oab`, or one text. Keys have no suffix. */
function oabOf(place: JsonObject): string[] {
  // Outside of `oab` a plain `numero` may be the number of anything.
  return [{ ...place, numero: undefined }, place['oab']].flatMap((spelling) => {
    const read = parseOab(spelling);
    return read.ok ? [formatOabQuery(read.oab)] : [];
  });
}

/** Each name below each place, in parts. */
function pathsOf(places: readonly string[], names: readonly string[]): readonly (readonly string[])[] {
  return places.flatMap((place) => names.map((name) => [...(place === '' ? [] : place.split('.')), name]));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
