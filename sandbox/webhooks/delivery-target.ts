/**
 * Where a webhook is really sent. The sandbox calls loopback addresses only: an https URL of a mapped host goes to the
 * mapped loopback origin, a loopback URL goes where it says, anything else is refused. Pure.
 */
/** Hosts that a service must never call: loopback, link-local, private and unnamed networks. */
const PRIVATE =
  /^(localhost|.*\.localhost|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(1[6-9]|2\d|3[01])\..*|0\..*|\[.*\])$/i;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Undefined when the sandbox would not call it. */
export function resolveTarget(url: string, hostMap: Readonly<Record<string, string>>): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const wanted = new URL(url);
  if (!['http:', 'https:'].includes(wanted.protocol)) return undefined;
  const mapped = wanted.protocol === 'https:' ? (hostMap[wanted.host] ?? hostMap[wanted.hostname]) : undefined;
  const target = mapped === undefined ? wanted : new URL(wanted.pathname + wanted.search, mapped);
  return LOOPBACK.has(target.hostname) ? target : undefined;
}

/** Whether a `webhook_url` in a request body is acceptable: https, a public host, no credentials (interface, rule 13). */
export function isWebhookUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  return protocol === 'https:' && !PRIVATE.test(hostname) && username === '' && password === '';
}
