/**
 * Whom a request is about: a case, a person, a company or a lawyer, by one number. It is searched for by the number itself or,
 * after an erasure, by its keyed token: the erasure log keeps no number. Pure apart from the token function.
 */
import { formatOab, parseCnj, parseCnpj, parseCpf, parseOab } from '../contract/index.js';
import { eraseKey, type TokenOf } from '../contract/values/index.js';

export type SubjectKind = 'cnj' | 'cpf' | 'cnpj' | 'oab';

export const SUBJECT_KINDS: readonly SubjectKind[] = ['cnj', 'cpf', 'cnpj', 'oab'];

export interface Subject {
  readonly kind: SubjectKind;
  /** In canonical form: digits of a case or CPF, 14 characters of a CNPJ, `UF:number` of a registration. */
  readonly value: string;
}

/** What is searched for in texts. */
export interface Sought {
  readonly kind: SubjectKind;
  readonly token: string;
  /** Replaces the number and the names. */
  readonly mark: string;
  /** The number itself, if it is known. */
  readonly value?: string;
  /** Is this the number? `value` is a number of this kind in canonical form. */
  readonly is: (value: string) => boolean;
  /** What is left of an idempotency key in which something is erased; `rest`: the key without that. */
  readonly eraseKey: (key: string, rest: string) => string;
}

/** A problem names what is wrong and never repeats the value. */
export function parseSubject(
  kind: SubjectKind,
  text: string,
): { readonly ok: true; readonly subject: Subject } | { readonly ok: false; readonly problem: string } {
  switch (kind) {
    case 'cnj': {
      const read = parseCnj(text);
      return read.ok ? { ok: true, subject: { kind, value: read.cnj } } : read;
    }
    case 'cpf': {
      const read = parseCpf(text);
      return read.ok ? { ok: true, subject: { kind, value: read.cpf } } : read;
    }
    case 'cnpj': {
      const read = parseCnpj(text);
      return read.ok ? { ok: true, subject: { kind, value: read.cnpj } } : read;
    }
    case 'oab': {
      const read = parseOab(text);
      return read.ok ? { ok: true, subject: { kind, value: formatOab(read.oab) } } : read;
    }
  }
}

/** The same number has the same token under the same id key. */
export function tokenOfSubject(token: TokenOf, { kind, value }: Subject): string {
  return token('subject of a request', `${kind}:${value}`);
}

function markOf(token: string): string {
  return `erased:${token}`;
}

export function seekNumber(token: TokenOf, subject: Subject): Sought {
  const { kind, value } = subject;
  const known = tokenOfSubject(token, subject);
  return {
    kind,
    value,
    token: known,
    mark: markOf(known),
    is: (seen) => seen === value,
    eraseKey: (key, rest) => eraseKey(token, key, rest),
  };
}

/** Finds the same as {@link seekNumber}, but slower: it computes the token of every number of the kind. */
export function seekToken(token: TokenOf, kind: SubjectKind, wanted: string): Sought {
  const known = new Map<string, boolean>();
  return {
    kind,
    token: wanted,
    mark: markOf(wanted),
    is: (value) => {
      const found = known.get(value) ?? tokenOfSubject(token, { kind, value }) === wanted;
      if (known.size < MOST_REMEMBERED) known.set(value, found);
      return found;
    },
    eraseKey: (key, rest) => eraseKey(token, key, rest),
  };
}

const MOST_REMEMBERED = 100_000;
