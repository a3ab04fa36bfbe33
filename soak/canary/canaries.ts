/**
 * The canaries: made-up personal data and secrets of twelve kinds, each different from all other text of the run, with every
 * spelling in which they may appear. Pure.
 */
import { createHash, randomBytes } from 'node:crypto';
import { companyOf } from '../../sandbox/cases/people.js';
import { cpfOf } from '../identifiers.js';

export const CANARY_KINDS = [
  ...(['cpf', 'cnpj', 'oab', 'name', 'party', 'movement', 'summary', 'document'] as const),
  ...(['link', 'apiKey', 'webhookSecret', 'token'] as const),
] as const;
export type CanaryKind = (typeof CANARY_KINDS)[number];

/** Secrets that give access. They may be only in the configuration, signed links only in stored answers. */
export const SECRETS: readonly CanaryKind[] = ['link', 'apiKey', 'webhookSecret', 'token'];

/** The canaries of a run; the same seed gives the same. */
export interface Canaries {
  /** Digits only. */
  readonly cpf: string;
  /** Fourteen characters, including letters. */
  readonly cnpj: string;
  readonly oab: { readonly uf: string; readonly number: string };
  readonly name: string;
  readonly party: string;
  readonly movement: string;
  readonly summary: string;
  /** A line in a document. */
  readonly document: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly tokens: readonly string[];
}

/** One text to search for. `exact`: case-sensitive. */
export interface Needle {
  readonly kind: CanaryKind;
  readonly text: string;
  readonly exact: boolean;
}

const WORD_LENGTH = 20;
const MOST_OABS = 900_000;
const MOST_CPFS = 800_000_000;
/** From this length on, the base64 of a text is too long to occur by chance. */
const SHORTEST = 8;

export function makeCanaries(seed: number, apiKey: string): Canaries {
  const number = (label: string, below: number): number =>
    createHash('sha256').update(`${label} ${seed}`).digest().readUInt32BE() % below;
  /** Letters that no language has in this order. */
  const word = (label: string): string => {
    const bytes = createHash('sha256').update(`${label} ${seed}`).digest().subarray(0, WORD_LENGTH);
    return `Zq${Array.from(bytes, (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
  };
  return {
    cpf: cpfOf(number('cpf', MOST_CPFS)),
    cnpj: companyWithLetters(seed),
    oab: { uf: 'SP', number: String(1_000_000 + number('oab', MOST_OABS)) },
    name: `Quitéria ${word('name')} da Conceição`,
    party: `João ${word('party')} Ação & Filhos`,
    movement: `Expedido mandado de penhora contra ${word('movement')}, à vista`,
    summary: `O juízo entendeu que ${word('summary')} não tem razão`,
    document: `Laudo de ${word('document')}`,
    apiKey,
    webhookSecret: word('secret'),
    tokens: ['webhook token', 'bearer token'].map(word),
  };
}

/** `links`: signatures of the links that the service has signed so far. */
export function needlesOf(canaries: Canaries, links: readonly string[]): readonly Needle[] {
  const { cpf, cnpj, oab, name, party, movement, summary, document, apiKey, webhookSecret, tokens } = canaries;
  const texts: readonly (readonly [CanaryKind, readonly string[]])[] = [
    ['cpf', cpfForms(cpf)],
    ['cnpj', cnpjForms(cnpj)],
    ['oab', oabForms(oab)],
    ['name', [unusual(name)]],
    ['party', [unusual(party)]],
    ['movement', [unusual(movement)]],
    ['summary', [unusual(summary)]],
    ['document', [unusual(document)]],
    ['link', links],
    ['apiKey', [apiKey]],
    ['webhookSecret', [webhookSecret]],
    ['token', tokens],
  ];
  return texts.flatMap(([kind, forms]) => {
    const spelled = forms.flatMap((text) => [text, encodeURIComponent(text), text.replaceAll('/', '\\/'), hexOf(text)]);
    const folded = [...new Set(spelled)].map((text) => ({ kind, text: text.toLowerCase(), exact: false }));
    const encoded = [...new Set(forms.flatMap(base64Forms))].map((text) => ({ kind, text, exact: true }));
    return [...folded, ...encoded];
  });
}

/** The one word of a sentence that occurs nowhere else: it is found however the rest is escaped. */
export function unusual(sentence: string): string {
  return /Zq[a-z]+/.exec(sentence)?.[0] ?? sentence;
}

function cpfForms(bare: string): readonly string[] {
  const [first, second, third, check] = [bare.slice(0, 3), bare.slice(3, 6), bare.slice(6, 9), bare.slice(9)];
  return [
    bare,
    `${first}.${second}.${third}-${check}`,
    `${first} ${second} ${third} ${check}`,
    `${bare.slice(0, 9)}-${check}`,
  ];
}

function cnpjForms(bare: string): readonly string[] {
  const head = `${bare.slice(0, 2)}.${bare.slice(2, 5)}.${bare.slice(5, 8)}`;
  return [bare, `${head}/${bare.slice(8, 12)}-${bare.slice(12)}`, head];
}

/** The number beside its state, or under its name: seven digits alone also occur in times and hashes. */
function oabForms({ uf, number }: Canaries['oab']): readonly string[] {
  const dotted = `${number.slice(0, 1)}.${number.slice(1, 4)}.${number.slice(4)}`;
  return [number, dotted].flatMap((digits) => [
    ...[':', '', ' ', '/', '-', '_', '.'].map((between) => `${uf}${between}${digits}`),
    ...[':', '/', '-', ' '].map((between) => `${digits}${between}${uf}`),
    ...[`oab_numero=${digits}`, `"numero":"${digits}"`, `"numero":${digits}`, `"oab_numero":"${digits}"`],
  ]);
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** The text inside a longer encoded text: at each of the three offsets, without the characters that depend on its neighbours. */
function base64Forms(text: string): readonly string[] {
  if (text.length < SHORTEST) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    const standard = bytes.toString('base64').slice(first, last);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function companyWithLetters(seed: number): string {
  for (let n = 0; ; n += 1) {
    const { documento } = companyOf(`canary ${seed}`, n);
    if (/[A-Z]/.test(documento)) return documento;
  }
}

/** A key for payloads that no other run has. */
export function payloadKey(id: string): string {
  return `${id}:${randomBytes(32).toString('base64')}`;
}
