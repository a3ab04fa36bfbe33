/** Where a database is, for messages. Pure. */

const STANDARD_PORT = '5432';

/**
 * Host and port of a URL, as `pg` reads them; never its user, password or database. Undefined for a URL that is not whole: with
 * a `/`, `?` or `#` in a password that is not escaped, the user would pass for the host.
 */
export function databaseAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, pathname, search, hash, searchParams } = new URL(url);
  if (`${pathname}${search}${hash}`.includes('@')) return undefined;
  const host = searchParams.get('host') ?? decoded(hostname);
  return host === '' ? undefined : `${host}:${searchParams.get('port') ?? (port || STANDARD_PORT)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
