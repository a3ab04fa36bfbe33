/** The programs of `examples/python` and `examples/go`, built in the cache. Used by `npm run test:languages` only. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheFolder } from '../../src/local/temporal/temporal-cache.js';
import { pythonEnvironment } from './python-environment.js';

const EXAMPLES = join(__dirname, '..', '..', 'examples');

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}
/** `problem`: why it cannot run, such as no Python or no package registry. */
type MadeProgram = Program | { readonly problem: string };

/** Which program of each language. */
interface Programs {
  /** A file of `examples/python`. */
  readonly python: string;
  /** A package of `examples/go`. */
  readonly go: string;
}

/** Runs the same tests for each language, and prints what is skipped and why. */
export function describeLanguages(what: string, programs: Programs, tests: (language: string, made: Program) => void) {
  const languages = [
    ['Python', () => python(programs.python)],
    ['Go', () => go(programs.go)],
  ] as const;
  describe.each(languages)(`${what} in %s`, (language, make) => {
    const isAsked = process.env['TRAMITA_TEST_LANGUAGES'] === '1';
    const made = isAsked ? make() : { problem: '`npm run test:languages` runs it' };
    if ('problem' in made) {
      if (isAsked) process.stderr.write(`skipped: ${what} in ${language}: ${made.problem}\n`);
      it.skip(`is skipped: ${made.problem}`, () => undefined);
      return;
    }
    tests(language, made);
  });
}

function python(file: string): MadeProgram {
  const made = pythonEnvironment('caller', join(EXAMPLES, 'python', 'requirements.txt'));
  return 'problem' in made ? made : { command: made.python, args: [join(EXAMPLES, 'python', file)] };
}

/** Builds each time: Go itself rebuilds only what has changed. */
function go(name: string): MadeProgram {
  const command = join(cacheFolder(process.env), `caller-go-${name.replaceAll(/\W/g, '')}`);
  const { status, error, stderr } = spawnSync('go', ['build', '-o', command, name], {
    cwd: join(EXAMPLES, 'go'),
    encoding: 'utf8',
    timeout: 600_000,
  });
  if (error !== undefined) return { problem: `go build did not run: ${error.message}` };
  return status === 0
    ? { command, args: [] }
    : { problem: `go build failed: ${stderr.trim().split('\n').at(-1) ?? ''}` };
}
