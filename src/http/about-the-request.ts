/**
 * Decides whether a 4xx on `GET /v1/requests/{id}` is about the request id (the service has forgotten the work) or is the
 * reproduced final answer of the work. The interface shows no codes for either (interface "Gaps"), so the rule errs on
 * the safe side: an answer that could be about the request id counts as forgotten, and evidence or a person then decides
 * the charge. A reproduced refusal is taken as "no charge". Pure.
 */
import { isJsonObject, readErrorBody } from '../contract/index.js';

const SPEAKS_OF_REQUEST = /request|requisi[cç]|solicita/i;
const SPEAKS_OF_REQUEST_ID = /request[\s_-]*id|requisi[cç][aã]o[\s_-]*id|id da (?:requisi|solicita)/i;
/** Words of an error message that do not name what was missing. A message that names a case or a court has others. */
const GENERIC_WORDS: ReadonlySet<string> = new Set(
  [
    'not found notfound no such does do exist exists unknown invalid expired gone',
    'nao não encontrado encontrada localizado localizada existe inexistente inválido expirado',
    'the a o e id uuid job task item resource recurso protocolo route rota url',
    'status http error erro code api',
    // From errors of gateways, which know paths but no cases.
    'no with those values matched match on in at of this that for path page endpoint method url deployment could be was',
    'server service host domain app application backend default upstream gateway proxy name resolution failed cannot get',
  ].flatMap((words) => words.split(' ')),
);

export type MissingKind = 'forgotten' | 'reproduced';

/**
 * `body` is the parsed JSON; undefined when the answer was not JSON.
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
  return error.fromService && namesSubject(words) ? 'reproduced' : 'forgotten';
}

function namesSubject(words: string): boolean {
  return words
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => word !== '' && !GENERIC_WORDS.has(word));
}

function hasMeta(body: unknown): boolean {
  return isJsonObject(body) && isJsonObject(body['meta']);
}
