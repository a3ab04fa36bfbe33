/**
 * A text without a person or a case: JSON is changed in place, so that nothing else of it moves, and anything else is taken as
 * plain text. In JSON the object that has the number is the person's: its names go too, here and wherever else they are in
 * a text that is about the person. What is in the object of another person stays. Pure.
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

/** What one text says about the person, to be looked for in others. */
interface LearnedFromText {
  /** How often the number is there. */
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
  /** Places that were changed. */
  readonly changes: number;
}

const NAME_KEY = /nome|name|raz[aã]o|denomina|titular/i;
const OWN_KEY =
  /e-?mail|telefone|celular|phone|endere[cç]o|logradouro|cep\b|nascimento|m[aã]e|\bpai\b|filia[cç]|^rg$|pis|passaporte/i;
const NUMBERS: readonly SubjectKind[] = ['cpf', 'cnpj'];

export function learn(text: string, sought: Sought): LearnedFromText {
  const root = treeOf(text);
  const names = new Set<string>();
  const cases = new Set<string>();
  let mentions = 0;
  const note = (found: number, about: string | undefined): void => {
    mentions += found;
    if (found > 0 && about !== undefined) cases.add(about);
  };
  const look = (node: Node, about: string | undefined): void => {
    if (node.type !== 'object') {
      if (isScalar(node)) note(timesIn(node, sought), about);
      for (const child of node.children ?? []) look(child, about);
      return;
    }
    const own = readObject(node, sought);
    const here = own.cnj ?? about;
    if (own.isMine) for (const name of own.names) names.add(name);
    for (const { key, value } of own.members) {
      note(mentionsIn(key, sought).length, here);
      look(value, here);
    }
    // The parts of a registration are separate members.
    if (own.isParted) note(1, here);
  };
  if (root === undefined) mentions = mentionsIn(text, sought).length;
  else look(root, undefined);
  return { mentions, names: [...names], cases: sought.kind === 'cnj' ? [] : [...cases] };
}

export interface HowTo {
  /** Where the text comes from says that it is about one of the person's cases; false. */
  readonly isAbout?: boolean;
  /** Of an object that is about the case which is to go: `drop` leaves nothing of it, `keep` only takes the number away; drop. */
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

/** Where a text has the number, and where it has the names of the person. */
type SpansOf = (part: string, withNames: boolean) => readonly Span[];

interface Cleaning {
  readonly text: string;
  readonly sought: Sought;
  readonly spansOf: SpansOf;
  /** An object that is about the case goes whole. */
  readonly dropsObjects: boolean;
}

/** What has to change in a JSON text, in the order of its places. */
function editsOf(root: Node, { text, sought, spansOf, dropsObjects }: Cleaning): readonly Edit[] {
  const edits: Edit[] = [];
  const put = (node: Node, value: unknown): void => {
    edits.push({ from: node.offset, to: node.offset + node.length, by: JSON.stringify(value) });
  };
  const clean = (node: Node, withNames: boolean): void => {
    if (node.type === 'string') {
      const value = String(node.value);
      const spans = isWhole(value, sought) ? [{ from: 0, to: value.length }] : spansOf(value, withNames);
      if (spans.length > 0) put(node, replaceSpans(value, spans, sought.mark));
    } else if (node.type === 'number') {
      // As it is written: a long number is not what `JSON.parse` makes of it.
      const written = text.slice(node.offset, node.offset + node.length);
      if (isWhole(written, sought)) put(node, sought.mark);
    } else if (node.type === 'object') {
      cleanObject(node);
    } else {
      for (const child of node.children ?? []) clean(child, true);
    }
  };
  const cleanObject = (node: Node): void => {
    const own = readObject(node, sought);
    if (own.isMine && dropsObjects) {
      put(node, { erased: sought.mark });
      return;
    }
    for (const { key, keyNode, value } of own.members) {
      const spans = spansOf(key, false);
      if (spans.length > 0) put(keyNode, replaceSpans(key, spans, sought.mark));
      const isOwn =
        own.isMine && (own.numberNodes.has(value) || (own.isNamed && isNameOf(key, value)) || isOwnValue(key, value));
      if (isOwn) {
        if (value.value !== sought.mark) put(value, sought.mark);
      } else if (own.isMine && own.nameNodes.has(value)) {
        cleanNames(value);
      } else {
        clean(value, !own.isOthers);
      }
    }
  };
  const cleanNames = (node: Node): void => {
    for (const { key, value } of membersOf(node)) {
      if (isNameOf(key, value)) put(value, sought.mark);
      else clean(value, true);
    }
  };
  clean(root, true);
  return edits.sort((left, right) => left.from - right.from);
}

/** The whole text is about the subject: nothing of it stays. */
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
  /** A member of it is the number. */
  readonly isMine: boolean;
  /** It has the number of somebody else. */
  readonly isOthers: boolean;
  /** The number is in parts: state and number of a registration. */
  readonly isParted: boolean;
  readonly numberNodes: ReadonlySet<Node>;
  /** It has a name of its own. */
  readonly isNamed: boolean;
  /** Objects in it that have the name of the person and no number. */
  readonly nameNodes: ReadonlySet<Node>;
  readonly names: readonly string[];
  /** The case that it is about. */
  readonly cnj: string | undefined;
}

function readObject(node: Node, sought: Sought): ReadObject {
  const members = membersOf(node);
  const numberNodes = new Set(
    members.filter(({ value }) => isScalar(value) && isWhole(scalarOf(value), sought)).map(({ value }) => value),
  );
  const parted = numberNodes.size === 0 && sought.kind === 'oab' ? partsOf(members, sought) : [];
  for (const value of parted) numberNodes.add(value);
  const isMine = numberNodes.size > 0;
  const isNamed = members.some(({ key, value }) => isNameOf(key, value));
  const nested = isNamed || !isMine ? [] : members.filter(({ value }) => value.type === 'object' && hasOnlyName(value));
  const nameNodes = new Set(nested.length === 1 ? nested.map(({ value }) => value) : []);
  const named = nested.length === 1 && nested[0] !== undefined ? membersOf(nested[0].value) : members;
  const cnj = members.flatMap(({ value }) =>
    value.type === 'string' ? (cnjDigits(String(value.value)) ?? []) : [],
  )[0];
  return {
    members,
    isMine,
    numberNodes,
    isNamed,
    nameNodes,
    cnj,
    isOthers: !isMine && members.some(({ value }) => isScalar(value) && hasNumber(scalarOf(value))),
    isParted: parted.length > 0,
    names: isMine ? named.filter(({ key, value }) => isNameOf(key, value)).map(({ value }) => String(value.value)) : [],
  };
}

/** `{numero, uf}`, whatever the two are called. */
function partsOf(members: readonly Member[], sought: Sought): readonly Node[] {
  const scalars = members.filter(({ value }) => isScalar(value));
  const suffix: unknown = scalars.find(({ key }) => /sufixo/i.test(key))?.value.value;
  for (const state of scalars.filter(({ key }) => /uf|estado/i.test(key))) {
    for (const number of scalars.filter(({ key }) => /numero|n[uú]mero/i.test(key))) {
      const end = typeof suffix === 'string' && suffix !== '' ? `-${suffix}` : '';
      if (isWhole(`${scalarOf(state.value)}:${scalarOf(number.value)}${end}`, sought)) return [number.value];
    }
  }
  return [];
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

function isOwnValue(key: string, value: Node): boolean {
  return isScalar(value) && OWN_KEY.test(key) && scalarOf(value) !== '' && !isMark(value);
}

function isMark({ value }: Node): boolean {
  return typeof value === 'string' && value.startsWith('erased:');
}

function timesIn(node: Node, sought: Sought): number {
  if (node.type === 'string') {
    const value = String(node.value);
    return Math.max(mentionsIn(value, sought).length, isWhole(value, sought) ? 1 : 0);
  }
  return isWhole(scalarOf(node), sought) ? 1 : 0;
}

function hasCase(text: string, cases: ReadonlySet<string>): boolean {
  return cases.size > 0 && casesIn(text).some((cnj) => cases.has(cnj));
}

/** Undefined where the text is no JSON. */
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
