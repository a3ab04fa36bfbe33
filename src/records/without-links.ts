/**
 * A record without its links. Anyone who holds a signed link can open the document, so links are kept nowhere: a member whose
 * value is a web address goes, at any depth; everything else stays as it came. Pure.
 */
const LINK = /^\s*(?:[a-z][a-z0-9+.-]*:)?\/\//i;

export function withoutLinks(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return clean(record) as Record<string, unknown>;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isLink(item)).map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => !isLink(member));
  return Object.fromEntries(kept.map(([name, member]) => [name, clean(member)]));
}

function isLink(value: unknown): boolean {
  return typeof value === 'string' && LINK.test(value);
}
