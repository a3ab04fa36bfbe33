/**
 * Every fenced block of README and `docs/` is run, compiled or parsed, or its title says why not. A block in an unknown language
 * fails. Statements run on a real PostgreSQL with our schema, TypeScript is compiled against the published types, commands are
 * parsed by the program itself, and commands without servers and side effects are run.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { sql } from 'kysely';
import ts from 'typescript';
import { buildProgram } from '../../src/cli/program.js';
import { loadTemporalConnection } from '../../src/config/index.js';
import { runCommand } from '../cli/run-command.js';
import { commandsIn, DOCUMENTS, readText, REPOSITORY, snippetsIn, type Snippet } from '../package/read-docs.js';
import { withDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const CLIENT_README = join('packages', 'client', 'README.md');
const SNIPPETS = [...DOCUMENTS, [CLIENT_README, readText(CLIENT_README)] as const].flatMap(([file, document]) =>
  snippetsIn(file, document),
);
const titled = (...languages: readonly string[]): (readonly [string, Snippet])[] =>
  SNIPPETS.filter(({ language }) => languages.includes(language)).map((each) => [`${each.file}:${each.line}`, each]);

/** Commands without servers and side effects, which are run. */
const RUN = /^tramita (schema|codec-server token|--help|--version)/;
const SCRIPTS = (JSON.parse(readText('package.json')) as { readonly scripts: Readonly<Record<string, string>> })
  .scripts;
/** `npm test`, … */
const OF_NPM = ['test', 'install', 'ci', 'exec'];

it('every block has a language that is checked here', () => {
  const known = ['ts', 'js', 'json', 'sql', 'toml', 'sh', 'mermaid', 'text', 'yaml', 'promql'];
  const others = SNIPPETS.filter(({ language }) => !known.includes(language));
  expect(others.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
  expect(SNIPPETS.length).toBeGreaterThan(60);
});

describe('mermaid and text: not run, since a drawing needs a browser and an output is no program', () => {
  it.each(titled('mermaid'))('%s mermaid: begins as a flow chart does', (_, { text }) => {
    expect(text).toMatch(/^(flowchart (TD|LR)|sequenceDiagram|stateDiagram-v2)\n/);
  });
  it.each([...titled('text', 'yaml', 'promql'), ['(the list may be empty)', undefined] as const])(
    '%s',
    () => undefined,
  );
});

describe('js: parsed, and run by test/fresh/testing-projects.test.ts', () => {
  it.each(titled('js'))('%s js: parsed', (_, { text }) => {
    expect(() => new Script(text)).not.toThrow();
  });
});

describe('json: parsed', () => {
  it.each(titled('json'))('%s json: parsed', (_, { text }) => {
    expect(typeof JSON.parse(text)).toBe('object');
  });
});

describe('toml: read as the configuration of a connection', () => {
  it.each(titled('toml'))('%s toml: read', (_, { text }) => {
    const path = join(temporaryFolder('toml'), 'temporal.toml');
    writeFileSync(path, text);
    const { address, namespace } = loadTemporalConnection({ TEMPORAL_CONFIG_FILE: path });
    expect(text).toContain(`address = "${address}"`);
    expect(text).toContain(`namespace = "${namespace}"`);
  });
});

describe('sql: run', () => {
  const database = withDatabase();
  const undone = new Error('taken back');

  it.each(titled('sql'))('%s sql: run', async (_, { text }) => {
    const run = database.db.transaction().execute(async (trx) => {
      await sql.raw('create role my_backend').execute(trx);
      for (const statement of text.split(/;[^\n]*\n/).filter((each) => each.trim() !== '')) {
        await sql.raw(statement).execute(trx);
      }
      throw undone;
    });
    await expect(run).rejects.toBe(undone);
  });
});

describe('ts: compiled', () => {
  const nameOf = ({ file, line }: Snippet): string => join(REPOSITORY, `${file.replaceAll(/\W/g, '-')}-${line}.ts`);
  const compiled = titled('ts');
  let problems: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    const texts = new Map(compiled.map(([, snippet]) => [nameOf(snippet), snippet.text]));
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node', 'jest'],
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      paths: {
        '@tramita/client': [join(REPOSITORY, 'dist', 'src', 'client.d.ts')],
        '@tramita/client/nexus': [join(REPOSITORY, 'dist', 'src', 'nexus', 'index.d.ts')],
      },
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, getSourceFile } = host;
    host.fileExists = (path) => texts.has(path) || fileExists(path);
    host.getSourceFile = (path, language, ...rest) => {
      const text = texts.get(path);
      return text === undefined
        ? getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, text, language, true);
    };
    const program = ts.createProgram([...texts.keys()], options, host);
    const found = new Map<string, string[]>();
    for (const { file, messageText } of ts.getPreEmitDiagnostics(program)) {
      const name = file?.fileName ?? 'the program';
      found.set(name, [...(found.get(name) ?? []), ts.flattenDiagnosticMessageText(messageText, ' ')]);
    }
    problems = found;
  }, 240_000);

  it.each(compiled)('%s ts: compiled', (_, snippet) => {
    expect(problems.get(nameOf(snippet)) ?? []).toEqual([]);
    expect(problems.get('the program') ?? []).toEqual([]);
  });
});

describe('sh: parsed by the shell, tramita commands by tramita, and those without side effects run', () => {
  const howOf = ({ text }: Snippet): string => {
    const words = commandsIn(text).map((command) => command.slice(0, 3).join(' '));
    const ours = words.filter((command) => /^(npx )?tramita /.test(command)).length;
    const run = words.filter((command) => RUN.test(command)).length;
    const npm = words.filter((command) => command.startsWith('npm ')).length;
    const others = [...new Set(words.map((command) => command.split(' ')[0]))].filter(
      (name) => !['tramita', 'npx', 'npm'].includes(name ?? ''),
    );
    return [
      ...(run > 0 ? [`${run} run`] : []),
      ...(ours > run ? [`${ours - run} parsed by tramita`] : []),
      ...(npm > 0 ? [`${npm} of npm by name`] : []),
      ...(others.length > 0 ? [`syntax only: ${others.join(', ')}`] : []),
    ].join('; ');
  };
  const rows = titled('sh').map(([place, each]) => [`${place} sh: ${howOf(each)}`, each] as const);

  it.each(rows)('%s', async (_, { text }) => {
    const shell = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
    expect(shell.stderr).toBe('');
    for (const [first = '', ...rest] of commandsIn(text)) {
      const [program, ...args] = first === 'npx' ? rest : [first, ...rest];
      if (program === 'npm')
        expect([...Object.keys(SCRIPTS), ...OF_NPM]).toContain(args[0] === 'run' ? args[1] : args[0]);
      if (program !== 'tramita') continue;
      if (RUN.test(['tramita', ...args].join(' '))) {
        expect(await runCommand(args)).toMatchObject({ exitCode: 0 });
      } else {
        expect({ args, problem: await problemOf(args) }).toEqual({ args, problem: '' });
      }
    }
  });
});

/** The problem that commander reports for a command line, or "". The command is not run. */
async function problemOf(args: readonly string[]): Promise<string> {
  let reported = '';
  const silent = {
    env: {},
    cwd: tmpdir(),
    isTerminal: false,
    out: () => undefined,
    err: (text: string) => void (reported += text),
  };
  const program = await buildProgram({ context: silent, run: () => () => Promise.resolve() });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return '';
  } catch (error) {
    return reported === '' ? String(error) : reported;
  }
}
