/**
 * OAB registrations: state, number, and a letter for registrations that are not the main one. Pure.
 *
 * There is no check digit and no official format, so every known spelling is accepted, and only one is produced: the key
 * `UF:numero[-sufixo]`, or `UF:numero` for the service. A trainee can have a lawyer's number, so the suffix is kept.
 */
import { present } from './present.js';
declare const keyBrand: unique symbol;

/** `SP:123456`, `SP:123456-E`. */
export type OabKey = string & { readonly [keyBrand]: true };

/** The 27 units in the order of the court table. */
export const UFS = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SE SP TO'.split(
  ' ',
) as readonly string[];

/** The most registrations in one list, of an input or of a call. */
export const MAX_REGISTRATIONS = 500;

/** A lawyer's registration. */
export interface Oab {
  /** State, two capital letters. */
  readonly uf: string;
  /** One to seven digits, no leading zeros. */
  readonly numero: string;
  /** One capital letter: A supplementary, B by transfer, E trainee; others are seen and kept. */
  readonly sufixo?: string;
}

/** A registration, or what is wrong with it. */
export type OabParse =
  { readonly ok: true; readonly oab: Oab; readonly key: OabKey } | { readonly ok: false; readonly problem: string };

/** People write `123.456`: a point before three digits separates thousands. */
const POINT_OF_THOUSANDS = /(?<=\d)\.(?=\d{3}(?!\d))/g;

/** The text without separators of thousands in its numbers. */
export function withoutThousands(text: string): string {
  return text.replace(POINT_OF_THOUSANDS, '');
}

const NUMBER = String.raw`0{0,6}([1-9]\d{0,6})(?:[-/ ]?([A-Z]))?`;
const SPELLINGS: readonly { readonly form: RegExp; readonly order: 'state first' | 'number first' }[] = [
  { form: new RegExp(String.raw`^(?:OAB[/ -]?)?([A-Z]{2})[:/ -]?\s?${NUMBER}$`), order: 'state first' },
  { form: new RegExp(String.raw`^(?:OAB[/ -]?)?${NUMBER}[:/ -]([A-Z]{2})$`), order: 'number first' },
];

/**
 * Reads one text (`SP:123456`, `123456/SP`, `SP0123456`, `OAB/SP 123.456-A`) or an object with number and state
 * (`{numero, uf}` or `{numero, estado}`, the number as text or as a JSON number).
 */
export function parseOab(value: unknown): OabParse {
  const text = typeof value === 'object' && value !== null ? textOfParts(value) : value;
  if (typeof text !== 'string') return { ok: false, problem: EXPECTED };
  const plain = withoutThousands(text.trim().toUpperCase());
  for (const { form, order } of SPELLINGS) {
    const match = form.exec(plain);
    if (match === null) continue;
    const [uf, numero, sufixo] =
      order === 'state first' ? [match[1], match[2], match[3]] : [match[3], match[1], match[2]];
    if (uf === undefined || numero === undefined) continue;
    if (!UFS.includes(uf)) return { ok: false, problem: `names no Brazilian state; ${EXPECTED}` };
    const oab = { uf, numero, ...present({ sufixo }) };
    return { ok: true, oab, key: formatOab(oab) };
  }
  return { ok: false, problem: EXPECTED };
}

const EXPECTED = 'must be a bar registration like SP:123456';

/** The canonical key. */
export function formatOab({ uf, numero, sufixo }: Oab): OabKey {
  return `${uf}:${numero}${sufixo === undefined ? '' : `-${sufixo}`}` as OabKey;
}

/** What the service takes: `SP:123456`, without the suffix. */
export function formatOabQuery({ uf, numero }: Oab): string {
  return `${uf}:${numero}`;
}

/** Like {@link formatOabQuery}, from any spelling that {@link parseOab} reads; undefined for anything else. */
export function readOabQuery(value: unknown): string | undefined {
  const read = parseOab(value);
  return read.ok ? formatOabQuery(read.oab) : undefined;
}

/** Names of the parts, as records and parameters of the service have them (interface "Gaps"); the plainest last. */
const NUMBER_NAMES = ['oab_numero', 'oabNumero', 'numero_oab', 'numeroOab', 'numero', 'oab'];
const STATE_NAMES = ['oab_estado', 'oabEstado', 'oab_uf', 'oabUf', 'uf_oab', 'ufOab', 'uf', 'estado'];

function firstOf(members: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return names.map((name) => members[name]).find((value) => value !== undefined && value !== null);
}

/** Joins number and state to one text; empty, and so refused like any other text, when a part is missing or odd. */
function textOfParts(value: object): string {
  const members = value as Readonly<Record<string, unknown>>;
  const numero = firstOf(members, NUMBER_NAMES);
  const uf = firstOf(members, STATE_NAMES);
  const sufixo = members['sufixo'];
  if (typeof uf !== 'string' || (typeof numero !== 'string' && !Number.isSafeInteger(numero))) return '';
  return `${uf.trim()}:${String(numero).trim()}${typeof sufixo === 'string' && sufixo !== '' ? `-${sufixo}` : ''}`;
}
