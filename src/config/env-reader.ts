/**
 * One reader over overrides and environment. Overrides win; in both, the empty string means unset (so an empty override
 * hides a variable). Secrets may come from a file named by `X_FILE`. Problems are collected, not thrown, so that a person
 * sees all of them at once.
 */
import { readFileSync, statSync } from 'node:fs';
import type { Parsed } from '../protocol/index.js';
import { ENV, FILE_SUFFIX, VARIABLES, bothWays, type Variable } from './env-names.js';
import { errorCode } from './error-code.js';
import { closeName } from './nearest.js';

export type Env = Readonly<Record<string, string | undefined>>;
export type ReadFile = (path: string) => string;
export type FileMode = (path: string) => number;

const OURS = 'TRAMITA_';

export const readTextFile: ReadFile = (path) => readFileSync(path, 'utf8');

export interface EnvReader {
  /** Undefined if the variable is unset, or unusable: then a problem is added. */
  readonly read: <T>(variable: Variable | undefined, parse: (text: string) => Parsed<T>) => T | undefined;
  /** Checks the file that holds the secret of variable `name`: the name is noted if other users may read the file. */
  readonly noteSecretFile: (name: string, path: string) => void;
  /** Whether it is set, usable or not. */
  readonly isSet: (variable: Variable) => boolean;
  /** `TRAMITA_*` variables that nobody knows; `alsoKnown` are names that the JSON file brings in. */
  readonly unknownVariables: (alsoKnown: readonly string[]) => readonly string[];
}

export function createEnvReader(deps: {
  readonly env: Env;
  readonly overrides?: Env | undefined;
  /** Default: the file system. */
  readonly readFile?: ReadFile;
  readonly fileMode?: FileMode | undefined;
  readonly problems: string[];
  /** Receives the names of variables whose file other users may read. */
  readonly openSecretFiles?: string[];
}): EnvReader {
  const { env, overrides = {}, readFile = readTextFile, problems, openSecretFiles = [] } = deps;
  const { fileMode = (path: string) => statSync(path).mode } = deps;
  const textOf = (name: string): string | undefined => {
    const text = overrides[name] ?? env[name];
    return text === '' ? undefined : text;
  };

  const noteSecretFile = (name: string, path: string): void => {
    if (isReadableByOthers(fileMode, path)) openSecretFiles.push(name);
  };

  /** The file of a secret; an override of the secret itself, also an empty one, hides it. */
  const secretFileOf = ({ name, secret }: Variable): string | undefined =>
    secret && overrides[name] === undefined ? textOf(name + FILE_SUFFIX) : undefined;

  const secretText = (variable: Variable): string | undefined => {
    const fileName = variable.name + FILE_SUFFIX;
    const direct = textOf(variable.name);
    const path = secretFileOf(variable);
    if (path === undefined) return direct;
    if (direct !== undefined) {
      problems.push(`${variable.name} and ${fileName} are both set; expected one of them`);
      return undefined;
    }
    // A certificate is public.
    if (variable !== ENV.BRIDGE_TLS_CERT) noteSecretFile(fileName, path);
    const text = readSecretFile(readFile, path);
    if (text.ok) return text.value;
    problems.push(`${fileName}: the file it names ${text.problem}`);
    return undefined;
  };

  return {
    noteSecretFile,
    read: (variable, parse) => {
      if (variable === undefined) return undefined;
      const text = variable.secret ? secretText(variable) : textOf(variable.name);
      if (text === undefined) return undefined;
      const parsed = parse(text);
      if (parsed.ok) return parsed.value;
      problems.push(`${bothWays(variable)}: ${parsed.problem}`);
      return undefined;
    },
    isSet: (variable) => textOf(variable.name) !== undefined || secretFileOf(variable) !== undefined,
    unknownVariables: (alsoKnown) => {
      const known = [...VARIABLES.map((variable) => variable.name), ...alsoKnown];
      const secrets = [...VARIABLES.flatMap(({ name, secret }) => (secret ? [name] : [])), ...alsoKnown];
      const accepted = new Set([...known, ...secrets.map((name) => name + FILE_SUFFIX)]);
      return [...new Set([...Object.keys(env), ...Object.keys(overrides)])]
        .filter((name) => name.startsWith(OURS) && textOf(name) !== undefined && !accepted.has(name))
        .map((name) => `${name} is not a variable of tramita; ${meant(closeName(name, known, OURS))}`);
    },
  };
}

function meant(name: string | undefined): string {
  return name === undefined ? 'docs/configuration.md lists them' : `did you mean ${name}?`;
}

const GROUP_OR_OTHERS_READ = 0o044;

/** Windows has no such permission bits and shows them as set, so nothing is reported there. */
function isReadableByOthers(fileMode: FileMode, path: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (fileMode(path) & GROUP_OR_OTHERS_READ) !== 0;
  } catch {
    // A file that cannot be read is reported elsewhere.
    return false;
  }
}

/** The path is not shown, because people put the secret itself there. One final line end is the editor's, not the secret's. */
function readSecretFile(readFile: ReadFile, path: string): Parsed<string> {
  try {
    const value = readFile(path).replace(/\r?\n$/, '');
    return value === '' ? { ok: false, problem: 'is empty; expected the secret in it' } : { ok: true, value };
  } catch (error) {
    return { ok: false, problem: `cannot be read (${errorCode(error)}); expected the path of a readable file` };
  }
}
