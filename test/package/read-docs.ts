/** The documents of the repository as text, and small readers of Markdown: code, tables, links. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const REPOSITORY = join(__dirname, '..', '..');

export const readText = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8');

/** README, CONTRIBUTING, CHANGELOG and everything below `docs/`, by path. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...readdirSync(join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !file.startsWith('site'))
      .map((file) => join('docs', file)),
  ].map((file) => [file, readText(file)]),
);

/** The part of a document under a heading, up to the next heading of the same or a higher rank. */
export function sectionOf(document: string, heading: string): string {
  const lines = document.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const rank = heading.indexOf(' ');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= rank);
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

/** Cells of the rows of the first table with this first column title, without header and separator. */
export function tableOf(text: string, title: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => cells(line)[0] === title);
  if (start < 0) throw new Error(`there is no table with the first column "${title}"`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(cells);
}

/** The names in backticks of one column, in order. */
export function namesIn(rows: readonly (readonly string[])[], column = 0): readonly string[] {
  return rows.flatMap((row) => [...(row[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

/** All code of a document, inline or fenced. */
export function codeIn(document: string): readonly string[] {
  const fenced = [...document.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, code]) => code ?? '');
  const rest = document.replace(/^```\w*\n[\s\S]*?^```/gm, '');
  return [...fenced, ...[...rest.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '')];
}

/** Files that a document links to, as paths from the repository's root. */
export function linksIn(file: string, document: string): readonly string[] {
  return [...document.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^(https?:|#)/.test(target))
    .map((target) => relative(REPOSITORY, join(REPOSITORY, dirname(file), target.split('#')[0] ?? '')));
}

function cells(line: string): readonly string[] {
  return line.startsWith('|')
    ? line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim())
    : [];
}

export interface Snippet {
  readonly file: string;
  /** Line of the opening fence. */
  readonly line: number;
  /** The word after the fence; empty when there is none. */
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of a document, in order, without the indent of a list. */
export function snippetsIn(file: string, document: string): readonly Snippet[] {
  return [...document.matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm)].map((found) => {
    const [, indent = '', language = '', text = ''] = found;
    const line = document.slice(0, found.index).split('\n').length;
    return { file, line, language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The simple commands of a shell text, as words, without comments, quotes, leading `VAR=value` and control operators. */
export function commandsIn(shell: string): readonly (readonly string[])[] {
  const words = shell
    .replaceAll('\\\n', ' ')
    .matchAll(/((?:'[^']*'|"(?:\\.|[^"\\])*"|\$\([^)]*\)|[^\s'"|&;#<>]|(?<=\S)#)+)|(#.*)|(\n|&&|\|\|?|;)|[<>&]/g);
  const commands: string[][] = [[]];
  for (const [, word, , end] of words) {
    if (end !== undefined) commands.push([]);
    const isSetting = commands.at(-1)?.length === 0 && /^[A-Za-z_]+=/.test(word ?? '');
    if (word !== undefined && !isSetting)
      commands.at(-1)?.push(word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2'));
  }
  return commands.filter((command) => command.length > 0);
}
