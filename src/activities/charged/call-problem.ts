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

/** Names the member (`params.…` or `body.…`), what is wrong and what is accepted; undefined if the call is valid. */
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

/** Searches at any depth, because the interface shows no complete body of radars and case monitors. */
function webhooksIn(value: unknown, place: string): readonly { readonly place: string; readonly url: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const here = `${place}.${shownName(name)}`;
    return name === 'webhook_url' ? [{ place: here, url: inner }] : webhooksIn(inner, here);
  });
}

/** The body takes any member, but its case number is billed every month, so a mistyped one is refused. */
function watchedCaseProblem(body: JsonObject): string | undefined {
  for (const member of ['numero_cnj', 'numeroCnj', 'cnj']) {
    const given = body[member];
    if (given === undefined || given === null) continue;
    const read = parseCnj(given);
    if (!read.ok) return `body.${member} ${read.problem}`;
  }
  return undefined;
}

/** The link of a following page must have the path of the call itself. It was checked when it was read, and is again here. */
export function targetProblem(
  { gaps }: Pick<ServiceDeps, 'gaps'>,
  operation: Operation<string>,
  { params, target }: { readonly params: Parameters; readonly target?: string },
): string | undefined {
  if (target === undefined) return undefined;
  const [path] = buildRequest(operation, { params, flags: [] }, gaps).target.split('?', 1);
  return operation.method === 'GET' && target.split('?', 1)[0] === path
    ? undefined
    : 'the link of the next page does not belong to this call';
}

/** The service sends personal data there for as long as the monitor exists, so configuration must name the host. */
function webhookProblem(url: unknown, hosts: readonly string[]): string | undefined {
  if (url === undefined) return undefined;
  const [, host = ''] = /^https:\/\/([^/?#]+)/i.exec(typeof url === 'string' ? url : '') ?? [];
  if (host === '') return 'must be an https URL';
  if (hosts.includes(host.toLowerCase().replace(/:443$/, ''))) return undefined;
  const allowed = hosts.length === 0 ? 'none is allowed yet' : `allowed: ${hosts.join(', ')}`;
  return `names a host that TRAMITA_WEBHOOK_URL_HOSTS does not have (${allowed})`;
}
