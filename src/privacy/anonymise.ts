/**
 * Removes a person or a case from a text. JSON is edited in place, so that the rest keeps its bytes; anything else is treated as
 * plain text. A JSON object that has the number is the person's: the names in it are removed too, there and in every text that
 * is about the person. What is in the object of another person stays. Pure.
 */
import { parseTree, type Node } from 'jsonc-parser';
import { cnjDigits } from '../contract/index.js';
import {
  applyEdits,
  isWhole,
  mentionsIn,
  replaceSpans,
  casesIn,
  withoutOverlaps,
  type Edit,
  type Span,
} from './mentions.js';
import { namesIn, seekNames } from './names.js';
import type { Sought, SubjectKind } from './subject.js';

/** What one text says about the person, to be searched for in other texts. */
interface LearnedFromText {
  /** Occurrences of the number. */
  readonly mentions: number;
  readonly names: readonly string[];
  /** Cases in which the person was found: 20 digits. */
  readonly cases: readonly string[];
}

/** What is known from all texts. */
export interface Known {
  readonly names: readonly string[];
  readonly cases: ReadonlySet<string>;
}

export interface Anonymised {
  readonly text: string;
  /** How many places were changed. */
  readonly changes: number;
}

const NAME_KEY = /nome|name|raz[aã]o|denomina|titular|alcunha|credor|benefici[aá]ri[oa]$|^parte$/i;
const PERSONAL_KEY =
  /e-?mail|telefone|celular|phone|endere[cç]o|logradouro|cep\b|nascimento|m[aã]e|\bpai\b|filia[cç]|^rg$|pis|passaporte/i;
const NUMBERS: readonly SubjectKind[] = ['cpf', 'cnpj'];

export function learn(text: string, sought: Sought): LearnedFromText {
  const root = treeOf(text);
  const names = new Set<string>();
  const cases = new Set<string>();
  let mentions = 0;
  const note = (count: number, about: string | undefined): void => {
    mentions += count;
    if (count > 0 && about !== undefined) cases.add(about);
  };
  /** `isList`: inside an object that is the person's and no case: the cases in it are theirs. */
  const look = (node: Node, about: string | undefined, isList: boolean): void => {
    if (node.type !== 'object') {
      if (isScalar(node)) note(occurrencesIn(node, sought), about);
      for (const child of node.children ?? []) look(child, about, isList);
      return;
    }
    const own = readObject(node, sought);
    const here = own.cnj ?? about;
    if (isList && own.cnj !== undefined) cases.add(own.cnj);
    const holdsList = here === undefined && (isList || (own.isSubjects && NUMBERS.includes(sought.kind)));
    if (own.isSubjects) for (const name of own.names) names.add(name);
    for (const { key, value } of own.members) {
      note(mentionsIn(key, sought).length, here);
      look(value, here, holdsList);
    }
    // State and number of a registration are separate members.
    if (own.isSplit) note(1, here);
  };
  if (root === undefined) mentions = mentionsIn(text, sought).length;
  else look(root, undefined, false);
  return { mentions, names: [...names], cases: sought.kind === 'cnj' ? [] : [...cases] };
}

export interface HowTo {
  /** The row or call of the text is about one of the person's cases; false. */
  readonly isAbout?: boolean;
  /** What happens to an object that is about the case to erase: `drop` replaces all of it, `keep` only the number; drop. */
  readonly objects?: 'drop' | 'keep';
}

export function anonymise(
  text: string,
  sought: Sought,
  known: Known,
  { isAbout = false, objects = 'drop' }: HowTo = {},
): Anonymised {
  const here = learn(text, sought);
  const names =
    here.mentions > 0 || isAbout || hasCase(text, known.cases) ? seekNames([...known.names, ...here.names]) : undefined;
  if (here.mentions === 0 && names === undefined) return { text, changes: 0 };
  const spansOf: SpansOf = (part, withNames) =>
    withoutOverlaps([...mentionsIn(part, sought), ...(withNames ? namesIn(part, names) : [])]);
  const root = treeOf(text);
  if (root === undefined) {
    const spans = spansOf(text, true);
    return { text: replaceSpans(text, spans, sought.mark), changes: spans.length };
  }
  const edits = editsOf(root, { text, sought, spansOf, dropsObjects: sought.kind === 'cnj' && objects === 'drop' });
  return { text: applyEdits(text, edits), changes: edits.length };
}

/** Where a text has the number and, if asked, the names of the person. */
type SpansOf = (part: string, withNames: boolean) => readonly Span[];

interface Cleaning {
  readonly text: string;
  readonly sought: Sought;
  readonly spansOf: SpansOf;
  /** An object that is about the case is replaced as a whole. */
  readonly dropsObjects: boolean;
}

/** The edits of a JSON text, in the order of their places. */
function editsOf(root: Node, { text, sought, spansOf, dropsObjects }: Cleaning): readonly Edit[] {
  const edits: Edit[] = [];
  const replace = (node: Node, value: unknown): void => {
    edits.push({ from: node.offset, to: node.offset + node.length, by: JSON.stringify(value) });
  };
  const clean = (node: Node, withNames: boolean): void => {
    if (node.type === 'string') {
      const value = String(node.value);
      const spans = isWhole(value, sought) ? [{ from: 0, to: value.length }] : spansOf(value, withNames);
      if (spans.length > 0) replace(node, replaceSpans(value, spans, sought.mark));
    } else if (node.type === 'number') {
      // Compared as it is written: `JSON.parse` rounds a long number.
      const written = text.slice(node.offset, node.offset + node.length);
      if (isWhole(written, sought)) replace(node, sought.mark);
    } else if (node.type === 'object') {
      cleanObject(node);
    } else {
      for (const child of node.children ?? []) clean(child, withNames);
    }
  };
  const cleanObject = (node: Node): void => {
    const own = readObject(node, sought);
    if (own.isSubjects && dropsObjects) {
      replace(node, { erased: sought.mark });
      return;
    }
    for (const { key, keyNode, value } of own.members) {
      const spans = spansOf(key, false);
      if (spans.length > 0) replace(keyNode, replaceSpans(key, spans, sought.mark));
      const isPersonal =
        own.numberNodes.has(value) || (own.isNamed && isNameOf(key, value)) || isPersonalValue(key, value);
      if (own.isSubjects && isPersonal) {
        if (value.value !== sought.mark) replace(value, sought.mark);
      } else if (value === own.nameNode) {
        cleanNames(value);
      } else {
        clean(value, !own.isAnothers);
      }
    }
  };
  const cleanNames = (node: Node): void => {
    for (const { key, value } of membersOf(node)) {
      if (isNameOf(key, value)) replace(value, sought.mark);
      else clean(value, true);
    }
  };
  clean(root, true);
  return edits.sort((left, right) => left.from - right.from);
}

/** Takes the place of a text that is wholly about the subject. */
export function erasedBody(sought: Pick<Sought, 'mark'>): string {
  return JSON.stringify({ erased: sought.mark });
}

interface Member {
  readonly key: string;
  readonly keyNode: Node;
  readonly value: Node;
}

interface ReadObject {
  readonly members: readonly Member[];
  /** It is the subject's: one of its members is the number. */
  readonly isSubjects: boolean;
  /** It is another person's: it has only their number. */
  readonly isAnothers: boolean;
  /** State and number of a registration are separate members. */
  readonly isSplit: boolean;
  readonly numberNodes: ReadonlySet<Node>;
  /** A member of it is a name. */
  readonly isNamed: boolean;
  /** The only object in it that has a name and no number: the name is the subject's. */
  readonly nameNode: Node | undefined;
  readonly names: readonly string[];
  /** The case that it is about. */
  readonly cnj: string | undefined;
}

function readObject(node: Node, sought: Sought): ReadObject {
  const members = membersOf(node);
  const numberNodes = new Set(
    members.filter(({ value }) => isScalar(value) && isWhole(scalarOf(value), sought)).map(({ value }) => value),
  );
  const splitNumber = numberNodes.size === 0 && sought.kind === 'oab' ? splitNumberOf(members, sought) : undefined;
  if (splitNumber !== undefined) numberNodes.add(splitNumber);
  const isSubjects = numberNodes.size > 0;
  const isNamed = members.some(({ key, value }) => isNameOf(key, value));
  const nested =
    isNamed || !isSubjects ? [] : members.filter(({ value }) => value.type === 'object' && hasOnlyName(value));
  const nameNode = nested.length === 1 ? nested[0]?.value : undefined;
  const named = nameNode === undefined ? members : membersOf(nameNode);
  const cnj = members.flatMap(({ value }) =>
    value.type === 'string' ? (cnjDigits(String(value.value)) ?? []) : [],
  )[0];
  return {
    members,
    isSubjects,
    numberNodes,
    isNamed,
    nameNode,
    cnj,
    isAnothers: !isSubjects && members.some(({ value }) => isScalar(value) && hasNumber(scalarOf(value))),
    isSplit: splitNumber !== undefined,
    names: isSubjects ? named.flatMap(({ key, value }) => (isNameOf(key, value) ? [String(value.value)] : [])) : [],
  };
}

/** The number of a registration in `{numero, uf}`, whatever the two members are called. */
function splitNumberOf(members: readonly Member[], sought: Sought): Node | undefined {
  const scalars = members.filter(({ value }) => isScalar(value));
  const suffix: unknown = scalars.find(({ key }) => /sufixo/i.test(key))?.value.value;
  for (const state of scalars.filter(({ key }) => /uf|estado/i.test(key))) {
    for (const number of scalars.filter(({ key }) => /numero|n[uú]mero/i.test(key))) {
      const end = typeof suffix === 'string' && suffix !== '' ? `-${suffix}` : '';
      if (isWhole(`${scalarOf(state.value)}:${scalarOf(number.value)}${end}`, sought)) return number.value;
    }
  }
  return undefined;
}

function hasOnlyName(node: Node): boolean {
  const members = membersOf(node);
  return (
    members.some(({ key, value }) => isNameOf(key, value)) &&
    !members.some(({ value }) => isScalar(value) && hasNumber(scalarOf(value)))
  );
}

function hasNumber(value: string): boolean {
  return NUMBERS.some((kind) => isWhole(value, { kind, is: () => true })) && !/[:T]/.test(value);
}

function membersOf(node: Node): readonly Member[] {
  return (node.children ?? []).flatMap(({ children: [keyNode, value] = [] }) =>
    keyNode === undefined || value === undefined ? [] : [{ key: String(keyNode.value), keyNode, value }],
  );
}

function isScalar({ type }: Node): boolean {
  return type === 'string' || type === 'number';
}

function scalarOf(node: Node): string {
  return String(node.value);
}

function isNameOf(key: string, value: Node): boolean {
  return value.type === 'string' && NAME_KEY.test(key) && /\p{L}/u.test(String(value.value)) && !isMark(value);
}

function isPersonalValue(key: string, value: Node): boolean {
  return isScalar(value) && PERSONAL_KEY.test(key) && scalarOf(value) !== '' && !isMark(value);
}

function isMark({ value }: Node): boolean {
  return typeof value === 'string' && value.startsWith('erased:');
}

function occurrencesIn(node: Node, sought: Sought): number {
  if (node.type === 'string') {
    const value = String(node.value);
    return Math.max(mentionsIn(value, sought).length, isWhole(value, sought) ? 1 : 0);
  }
  return isWhole(scalarOf(node), sought) ? 1 : 0;
}

function hasCase(text: string, cases: ReadonlySet<string>): boolean {
  return cases.size > 0 && casesIn(text).some((cnj) => cases.has(cnj));
}

/** Undefined if the text is no JSON object, array or string. */
function treeOf(text: string): Node | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[' && first !== '"') return undefined;
  try {
    JSON.parse(text);
    return parseTree(text);
  } catch {
    return undefined;
  }
}
