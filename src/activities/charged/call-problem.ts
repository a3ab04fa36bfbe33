/** Why a call may not be made as asked: arguments that the operation does not take, or a webhook to a foreign host. Pure. */
import {
  argumentsProblem,
  buildRequest,
  parseCnj,
  type FlagName,
  type JsonObject,
  type Operation,
  type Parameters,
  present,
  shownName,
} from '../../contract/index.js';
import type { ServiceDeps, TermDeps } from '../deps.js';

export interface AskedCall {
  readonly operation: Operation<string>;
  readonly params: Parameters;
  readonly flags: readonly FlagName[];
  readonly body: JsonObject | undefined;
}

/** `params.…` or `body.…`, what is wrong, what is accepted; undefined when nothing is. */
export function callProblem(
  { gaps, webhookUrlHosts }: Pick<ServiceDeps & TermDeps, 'gaps' | 'webhookUrlHosts'>,
  { operation, params, flags, body }: AskedCall,
): string | undefined {
  const problem = argumentsProblem(operation, params, flags, { gaps, ...present({ body }) });
  if (problem !== undefined) return problem;
  for (const { place, url } of [...webhooksIn(params, 'params'), ...webhooksIn(body ?? {}, 'body')]) {
    const wrong = webhookProblem(url, webhookUrlHosts);
    if (wrong !== undefined) return `${place} ${wrong}`;
  }
  return operation.id === 'createCaseMonitor' ? watchedCaseProblem(body ?? {}) : undefined;
}

/** At any depth: the interface shows no body of radars and case monitors whole. */
function webhooksIn(value: unknown, place: string): readonly { readonly place: string; readonly url: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const here = `${place}.${shownName(name)}`;
    return name === 'webhook_url' ? [{ place: here, url: inner }] : webhooksIn(inner, here);
  });
}

/** Its body is open, but a case number in it is billed month by month: a mistyped one is no case. */
function watchedCaseProblem(body: JsonObject): string | undefined {
  for (const member of ['numero_cnj', 'numeroCnj', 'cnj']) {
    const given = body[member];
    if (given === undefined || given === null) continue;
    const read = parseCnj(given);
    if (!read.ok) return `body.${member} ${read.problem}`;
  }
  return undefined;
}

/** A following page is asked for at the place of the call itself; it was checked where it was read, and is again here. */
export function targetProblem(
  { gaps }: Pick<ServiceDeps, 'gaps'>,
  operation: Operation<string>,
  { params, target }: { readonly params: Parameters; readonly target?: string },
): string | undefined {
  if (target === undefined) return undefined;
  const [path] = buildRequest(operation, { params, flags: [] }, gaps).target.split('?', 1);
  return operation.method === 'GET' && target.split('?', 1)[0] === path
    ? undefined
    : 'the link of the next page leads to another place than the call';
}

/** The service will send personal data there for as long as the monitor lives: only to hosts that configuration names. */
function webhookProblem(url: unknown, hosts: readonly string[]): string | undefined {
  if (url === undefined) return undefined;
  const [, host = ''] = /^https:\/\/([^/?#]+)/i.exec(typeof url === 'string' ? url : '') ?? [];
  if (host === '') return 'must be an https URL';
  if (hosts.includes(host.toLowerCase().replace(/:443$/, ''))) return undefined;
  const allowed = hosts.length === 0 ? 'none is allowed yet' : `allowed: ${hosts.join(', ')}`;
  return `names a host that TRAMITA_WEBHOOK_URL_HOSTS does not have (${allowed})`;
}
