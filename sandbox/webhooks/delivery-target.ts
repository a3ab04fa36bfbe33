/**
 * Where a webhook really goes. The sandbox calls loopback addresses only: an https URL of a mapped host goes to the
 * mapped loopback origin, a loopback URL goes where it says, anything else is refused. Pure.
 */
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
