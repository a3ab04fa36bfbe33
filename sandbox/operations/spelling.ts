/**
 * Record members in the spelling of the dialect. Handlers build records as observed; `as-spec` turns all members into
 * camel case, `mixed` has both spellings side by side. Pure.
 */
import { isJsonObject } from '../../src/contract/index.js';
import type { Dialect } from '../settings.js';

export function spell(record: unknown, { records }: Pick<Dialect, 'records'>): unknown {
  return records === 'as-observed' ? record : respell(record, records);
}

function respell(value: unknown, records: 'as-spec' | 'mixed'): unknown {
  if (Array.isArray(value)) return value.map((each) => respell(each, records));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const respelt = respell(member, records);
      const camel = name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
      if (records === 'as-spec') return [[camel, respelt]];
      const snake = name.replace(/(?<=[a-z0-9])([A-Z])/g, (_all, letter: string) => `_${letter.toLowerCase()}`);
      return [...new Set([name, camel, snake])].map((each) => [each, respelt]);
    }),
  );
}
