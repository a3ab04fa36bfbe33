/**
 * A record without its links. Anyone who holds a signed link can open the document, so links are never stored. At any depth a
 * member whose value is a web address is dropped; inside a text, a web address with a query becomes `[link]`. Everything else
 * stays as it came. Pure.
 */
const LINK = /^\s*(?:[a-z][a-z0-9+.-]*:)?\/\//i;
const LINK_INSIDE = /https?:\/\/\S+/gi;

export function withoutLinks(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return clean(record) as Record<string, unknown>;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(LINK_INSIDE, (link) => (/[?;]./.test(link) ? '[link]' : link));
  if (Array.isArray(value)) return value.filter((item) => !isLink(item)).map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !isLink(member));
  return Object.fromEntries(members.map(([name, member]) => [name, clean(member)]));
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && LINK.test(value);
}
