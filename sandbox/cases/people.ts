/**
 * Fictional people, companies and lawyers. Names contain FICTÍCIO; CPFs come from the 9xx range; half of the companies
 * have a numeric CNPJ and half an alphanumeric one. Also the sandbox's own check of documents and parser of
 * registrations. Pure.
 */
import { UFS } from '../../src/contract/index.js';
import { deriveInteger } from '../derive.js';

const FIRST =
  'Ana Bruno Carla Davi Elisa Fábio Gilda Heitor Iara João Lúcia Márcio Nádia Otávio Paula Rui Sônia Tiago'.split(' ');
const LAST = 'Almeida Barros Castro Dias Esteves Freitas Gomes Horta Inácio Jardim Lopes Moraes Nunes Prado'.split(' ');

export interface Party {
  readonly nome: string;
  readonly tipoPessoa: 'FISICA' | 'JURIDICA';
  readonly documento: string;
}

export interface Lawyer {
  readonly uf: string;
  /** Without leading zeros. */
  readonly numero: string;
}

export function personOf(seed: string, ...label: readonly (string | number)[]): Party {
  const pick = (below: number, what: string): number => deriveInteger(seed, below, what, ...label);
  const nome = `${FIRST[pick(FIRST.length, 'first')] ?? ''} ${LAST[pick(LAST.length, 'last')] ?? ''} FICTÍCIO`;
  return { nome, tipoPessoa: 'FISICA', documento: withCheckDigits(`9${digits(pick(100_000_000, 'cpf'), 8)}`) };
}

export function companyOf(seed: string, ...label: readonly (string | number)[]): Party {
  const pick = (below: number, what: string): number => deriveInteger(seed, below, what, ...label);
  const root =
    pick(2, 'letters') === 0
      ? `99${digits(pick(1_000_000, 'root'), 6)}`
      : `SANDB${pick(46_656, 'root').toString(36).toUpperCase().padStart(3, '0')}`;
  const nome = `Companhia ${LAST[pick(LAST.length, 'name')] ?? ''} ${pick(1_000, 'number')} FICTÍCIA S.A.`;
  return { nome, tipoPessoa: 'JURIDICA', documento: withCheckDigits(`${root}0001`) };
}

export function lawyerOf(seed: string, ...label: readonly (string | number)[]): Lawyer & { readonly nome: string } {
  return {
    uf: UFS[deriveInteger(seed, UFS.length, 'uf', ...label)] ?? 'SP',
    numero: String(1_000 + deriveInteger(seed, 399_000, 'oab', ...label)),
    nome: personOf(seed, 'lawyer', ...label).nome,
  };
}

/** The five spellings that records use, in turn. */
export function spellOab({ uf, numero }: Lawyer, style: number): string {
  const forms = [
    `${uf}:${numero}`,
    `${numero}/${uf}`,
    `${uf}${numero}`,
    `OAB/${uf} ${numero}`,
    `${uf}${numero.padStart(7, '0')}`,
  ];
  return forms[style % forms.length] ?? `${uf}:${numero}`;
}

/** Reads `SP:123456`, `123456/SP`, `SP123456`, `OAB/SP 123456`, with an optional letter suffix, which is dropped. */
export function readOab(text: string): Lawyer | undefined {
  const plain = text
    .trim()
    .toUpperCase()
    .replace(/^OAB[/ -]*/, '');
  const match = /^([A-Z]{2})[:/ -]?0*([1-9]\d{0,6})-?[A-Z]?$/.exec(plain) ?? undefined;
  const turned = match === undefined ? /^0*([1-9]\d{0,6})-?[A-Z]?[:/ -]([A-Z]{2})$/.exec(plain) : null;
  const uf = match?.[1] ?? turned?.[2] ?? '';
  const numero = match?.[2] ?? turned?.[1] ?? '';
  return UFS.includes(uf) && numero !== '' ? { uf, numero } : undefined;
}

export function oabKey({ uf, numero }: Lawyer): string {
  return `${uf}:${numero}`;
}

/** A CPF (11) or CNPJ (14, letters allowed) without its mask; undefined when the shape or the check digits are wrong. */
export function readTaxId(text: string): string | undefined {
  const plain = text.trim().toUpperCase();
  const cpf = /^\d{3}\.?\d{3}\.?\d{3}-?\d{2}$/.test(plain);
  if (!cpf && !/^[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}$/.test(plain)) return undefined;
  const bare = plain.replace(/[./-]/g, '');
  if (/^(.)\1*$/.test(bare)) return undefined;
  return withCheckDigits(bare.slice(0, -2)) === bare ? bare : undefined;
}

/** Mod 11 over character values (code − 48), weights from the right: 2, 3, … for a CPF, 2 to 9 repeating for a CNPJ. */
function withCheckDigits(base: string): string {
  const turn = base.length > 10 ? 8 : 10;
  const check = (text: string): number => {
    const sum = Array.from(text)
      .reverse()
      .reduce((total, each, index) => total + (each.charCodeAt(0) - 48) * (2 + (index % turn)), 0);
    const rest = sum % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  const first = `${base}${check(base)}`;
  return `${first}${check(first)}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
