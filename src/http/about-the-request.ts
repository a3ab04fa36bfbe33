/**
 * One decision: does a 4xx on `GET /v1/requests/{id}` speak about the request id (the work is forgotten), or is it the
 * reproduced final answer of the work? The interface shows no codes for either (interface "Gaps"), so the rule leans
 * to the safe side: what could be about the request id counts as forgotten, which is decided by evidence or a person,
 * while a reproduced refusal is taken as "no charge". Pure.
 */
import { isJsonObject, readErrorBody } from '../contract/index.js';

const SPEAKS_OF_REQUEST = /request|requisi[cç]|solicita/i;
const SPEAKS_OF_REQUEST_ID = /request[\s_-]*id|requisi[cç][aã]o[\s_-]*id|id da (?:requisi|solicita)/i;
/** Words that say that something was not found, and not what: a case, a person or a court is named otherwise. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(
  [
    'not found notfound no such does do exist exists unknown invalid expired gone',
    'nao não encontrado encontrada localizado localizada existe inexistente inválido expirado',
    'the a o e id uuid job task item resource recurso protocolo route rota url',
    'status http error erro code api',
    // Of gateways, which know paths and no cases.
    'no with those values matched match on in at of this that for path page endpoint method url deployment could be was',
    'server service host domain app application backend default upstream gateway proxy name resolution failed cannot get',
  ].flatMap((words) => words.split(' ')),
);

export type MissingKind = 'forgotten' | 'reproduced';

/**
 * `body` is the parsed JSON, undefined where it was none.
 *
 * | status | body | verdict |
 * |---|---|---|
 * | 410 | any | forgotten |
 * | 404 | code or message speaks of a request | forgotten |
 * | 404 | an envelope with `meta` | reproduced |
 * | 404 | service's error that names what was not found | reproduced |
 * | 404 | service's error without such a word (`NOT_FOUND`) | forgotten |
 * | 404 | anything else (gateway page, empty) | forgotten |
 * | other 4xx | code or message speaks of the request *id* | forgotten |
 * | other 4xx | anything else | reproduced |
 */
export function decideMissingKind(status: number, body: unknown): MissingKind {
  if (status === 410) return 'forgotten';
  const error = readErrorBody(body);
  const words = `${error.code ?? ''} ${error.reason ?? ''}`;
  if (status !== 404) return SPEAKS_OF_REQUEST_ID.test(words) ? 'forgotten' : 'reproduced';
  if (SPEAKS_OF_REQUEST.test(words)) return 'forgotten';
  if (hasMeta(body)) return 'reproduced';
  return error.fromService && namesSomething(words) ? 'reproduced' : 'forgotten';
}

function namesSomething(words: string): boolean {
  return words
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => word !== '' && !SAYS_NOTHING.has(word));
}

function hasMeta(body: unknown): boolean {
  return isJsonObject(body) && isJsonObject(body['meta']);
}
