/** Checks the documents against the code: what exists is mentioned, what is mentioned exists, links and examples work. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildRefused } from '../../src/bridge/answers.js';
import { runCli } from '../../src/cli/program.js';
import { VARIABLES } from '../../src/config/env-names.js';
import { resolveConfig } from '../../src/config/index.js';
import { argumentsProblem, formatCnj, isOperationId, operationOf, type Parameters } from '../../src/contract/index.js';
import {
  DEFAULT_ACCOUNT,
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  FLOWS,
  QUERY_PROGRESS,
  refreshCaseId,
  SEARCH_ATTRIBUTES,
  SIGNAL_WAKE,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  WORKFLOW_TYPES,
  type Attention,
  type WorkflowType,
} from '../../src/protocol/index.js';
import { API_KEYS } from '../../sandbox/keys.js';
import { PERSONAS } from '../../sandbox/cases/personas.js';
import { HANDLERS } from '../../sandbox/operations/handlers.js';
import { faultSchema } from '../../sandbox/faults/fault-types.js';
import { dialectSchema, settingsSchema } from '../../sandbox/settings.js';
import { codeIn, DOCUMENTS, linksIn, namesIn, readText, REPOSITORY, sectionOf, tableOf } from './read-docs.js';

/** The interface of each flow's result, as its definition names it. */
const RESULTS = new Map(
  textsBelow('src/protocol/flows').flatMap((text) =>
    [...text.matchAll(/^export const (\w+) = defineFlow<\w+, (\w+)>/gm)].map(([, type, result]) => [type, result]),
  ),
);

/** A record, so that the compiler reports a new attention that is missing here. */
const ATTENTIONS: Readonly<Record<Attention, true>> = {
  'unknown-charge': true,
  'ledger-lost': true,
  'charged-lost': true,
  stalled: true,
  budget: true,
  credentials: true,
  'unexpected-charge': true,
};

const document = (file: string): string => {
  const text = DOCUMENTS.get(file);
  if (text === undefined) throw new Error(`there is no ${file}`);
  return text;
};
const README = document('README.md');
const OPERATING = document(join('docs', 'operations.md'));
const CONFIGURATION = document(join('docs', 'configuration.md'));
const SANDBOX = document(join('docs', 'sandbox.md'));
const FLOWS_PAGE = document(join('docs', 'flows.md'));
const WEBHOOKS = document(join('docs', 'webhooks.md'));
const CONTRIBUTING = document('CONTRIBUTING.md');
const MIGRATIONS_TEXT = textsBelow('src/store/migrations').join('\n');
const everywhere = [...DOCUMENTS.values()].join('\n');
const code = [...DOCUMENTS.values()].flatMap(codeIn);

describe('links', () => {
  it.each([...DOCUMENTS.keys()])('of %s lead to files that exist', (file) => {
    const missing = linksIn(file, document(file)).filter((target) => !existsSync(join(REPOSITORY, target)));
    expect(missing).toEqual([]);
  });

  it('from the code to documents lead to files that exist', () => {
    const sources = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' });
    const records = readdirSync(join(REPOSITORY, 'docs', 'decisions'));
    const named = sources
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readText('src', file).matchAll(/docs\/decisions\/(\d{4})/g)])
      .map(([, number]) => number ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((number) => !records.some((record) => record.startsWith(`${number}-`)))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('explains every failure type, and no other', () => {
    expect(namesIn(tableOf(sectionOf(OPERATING, '## Failures'), 'Type'))).toEqual([...FAILURE_TYPES]);
  });

  it('explains every attention, and no other', () => {
    const headings = [...sectionOf(OPERATING, '## Attentions').matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
    expect(headings).toEqual(Object.keys(ATTENTIONS));
  });

  it('shows inputs of updates that are valid JSON', () => {
    const inputs = [...OPERATING.matchAll(/--input '(.+)'/g)].map(([, json]) => JSON.parse(json ?? '') as unknown);
    expect(inputs).toEqual([{ step: 'requestRefresh', decision: 'not-charged', by: 'ana' }, { by: 'ana' }]);
  });
});

describe('docs/configuration.md', () => {
  it('lists every environment variable, and marks exactly the secret ones', () => {
    const rows = tableOf(CONFIGURATION, 'Variable');
    const ours = (row: readonly string[]): readonly string[] =>
      namesIn([row]).filter((name) => name.startsWith('TRAMITA_'));
    expect(rows.flatMap(ours).sort()).toEqual(VARIABLES.map(({ name }) => name).sort());
    const secret = rows.filter((row) => row[2] === 'yes').flatMap(ours);
    expect(secret.sort()).toEqual(
      VARIABLES.filter((each) => each.secret)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('lists every member of the configuration file, and no other', () => {
    const tables: readonly (readonly [string, string])[] = [
      ['Member', ''],
      ['Member of an account', 'accounts.*'],
      ['Member of `gaps`', 'gaps'],
      ['Member of an operation', 'operations[]'],
    ];
    for (const [title, path] of tables) {
      const members = membersAt(path);
      expect(members.length).toBeGreaterThan(4);
      expect({ title, members: [...namesIn(tableOf(CONFIGURATION, title))].sort() }).toEqual({ title, members });
    }
    const flags = tableOf(CONFIGURATION, 'Member of `gaps`').find((row) => row[0] === '`documentsFlag`');
    for (const member of membersAt('gaps.documentsFlag')) expect(flags?.join(' ')).toContain(`\`${member}\``);
    const words = tableOf(CONFIGURATION, 'Member of `gaps`').find((row) => row[0] === '`statusWords`');
    for (const member of membersAt('gaps.statusWords')) expect(words?.join(' ')).toContain(`\`${member}\``);
  });

  it('shows a configuration file that is accepted', () => {
    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(CONFIGURATION) ?? [];
    const env = { TRAMITA_CONFIG: 'tramita.json', SECOND_API_KEY: 'key' };
    expect(resolveConfig({ env, readFile: () => json }).accounts['second']?.maskCnj).toBe(true);
  });
});

describe('docs/flows.md', () => {
  const typesOf = (section: string): readonly string[] =>
    [...(section.split('\n')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, type = '']) => type);
  const sections = FLOWS_PAGE.split(/^## /m)
    .slice(1)
    .filter((section) => typesOf(section).length > 0);
  const common = namesIn(tableOf(FLOWS_PAGE, 'Common member'));
  const membersOf = (type: WorkflowType): readonly string[] => {
    const refused = FLOWS[type].parse({ nobody: 1 });
    const [, known = ''] = /known members are (.+)$/.exec(refused.ok ? '' : refused.problem) ?? [];
    return known.split(', ');
  };

  it('has a section for every flow, and no other', () => {
    expect(sections.flatMap(typesOf).sort()).toEqual([...WORKFLOW_TYPES].sort());
  });

  it('shows for each flow an input that the flow accepts', () => {
    for (const section of sections) {
      const examples = [...section.matchAll(/```json\n([^`]+)```/g)].map(
        ([, json]) => JSON.parse(json ?? '') as unknown,
      );
      expect(examples).toHaveLength(1);
      for (const type of typesOf(section) as WorkflowType[]) {
        expect({ type, ...FLOWS[type].parse(examples[0]) }).toMatchObject({ ok: true });
      }
    }
  });

  it('shows example calls that the catalogue accepts without configuration', () => {
    const calls = [...FLOWS_PAGE.matchAll(/```json\n([^`]+)```/g)]
      .map(([, json]) => JSON.parse(json ?? '') as { readonly operation?: string; readonly params?: Parameters })
      .flatMap(({ operation = '', params = {} }) => (isOperationId(operation) ? [{ operation, params }] : []));
    expect(calls.map(({ operation }) => operation)).toEqual(['getElectoralPublication', 'listPrecatorios']);
    for (const { operation, params } of calls) {
      expect(argumentsProblem(operationOf(operation), params, [])).toBeUndefined();
    }
  });

  it('explains every member of every input, and no other', () => {
    for (const section of sections) {
      const own = section.includes('| Input ') ? namesIn(tableOf(section, 'Input')) : [];
      for (const type of typesOf(section) as WorkflowType[]) {
        expect({ type, members: [...own, ...common].sort() }).toEqual({ type, members: [...membersOf(type)].sort() });
      }
    }
  });

  it('explains every member of every result, and no other', () => {
    const declared = textsBelow('src/protocol').join('\n');
    const shared = namesIn(tableOf(sectionOf(FLOWS_PAGE, '## What every result has'), 'Member'));
    for (const section of sections) {
      const own = namesIn(tableOf(section, 'Result'));
      for (const type of typesOf(section) as WorkflowType[]) {
        expect({ type, members: [...own, ...shared].sort() }).toEqual({
          type,
          members: [...interfaceMembers(declared, RESULTS.get(type) ?? '')].sort(),
        });
      }
    }
    const progress = namesIn(tableOf(FLOWS_PAGE, 'Progress'));
    expect(progress).toEqual(interfaceMembers(declared, 'Progress'));
    expect(namesIn(tableOf(FLOWS_PAGE, 'Receipt'))).toEqual(interfaceMembers(declared, 'Receipt'));
  });

  it('names the search attributes, signals, updates and queries', () => {
    expect(namesIn(tableOf(FLOWS_PAGE, 'Search attribute'))).toEqual(Object.values(SEARCH_ATTRIBUTES));
    const messages = tableOf(sectionOf(FLOWS_PAGE, '## Signals, updates, queries'), 'Name');
    expect(namesIn(messages)).toEqual([SIGNAL_WAKE, UPDATE_SETTLE_CHARGE, UPDATE_RESUME, QUERY_PROGRESS]);
  });
});

describe('every document', () => {
  it('mentions only environment variables that exist', () => {
    const known = new Set(VARIABLES.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
    // Of the local stack, no setting of a program.
    known.add('TRAMITA_POSTGRES_FOLDER');
    const mentioned = new Set(everywhere.match(/\bTRAMITA_[A-Z][A-Z_]*[A-Z]\b/g));
    expect([...mentioned].filter((name) => !known.has(name))).toEqual([]);
  });

  it('mentions only commands and scripts that exist, and together all documents mention every command', async () => {
    const commands = await commandsOf([]);
    expect(commands).toContain('worker');
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const called = mentionsOf(/(?:^|\s)tramita ([a-z][a-z-]*)/gm);
    const run = mentionsOf(/\bnpm run ([a-z][a-z:-]*)/g);
    expect(called.filter((name) => !commands.includes(name))).toEqual([]);
    expect(run.filter((name) => scripts[name] === undefined)).toEqual([]);
    // The changelog lists commands by their names alone.
    const mentioned = [...called, ...run, ...code];
    expect(commands.filter((name) => !mentioned.includes(name))).toEqual([]);
    expect(await commandsOf(['ledger'])).toEqual(['list', 'check', 'export', 'match', 'reconcile']);
    expect(await commandsOf(['events'])).toEqual(['list', 'replay', 'missed']);
    expect(await commandsOf(['webhook'])).toEqual(['send', 'verify']);
  });

  it('mentions only search attributes and workflow types that exist', () => {
    const attributes: readonly string[] = Object.values(SEARCH_ATTRIBUTES);
    const known = [...attributes, 'TramitaPlugin'];
    expect([...new Set(everywhere.match(/\bTramita[A-Z]\w+/g))].filter((name) => !known.includes(name))).toEqual([]);
    const types: readonly string[] = WORKFLOW_TYPES;
    expect([...everywhere.matchAll(/--type (\w+)/g)].filter(([, type = '']) => !types.includes(type))).toEqual([]);
    for (const type of WORKFLOW_TYPES) expect(README).toContain(`\`${type}\``);
  });
});

describe('README.md', () => {
  it('starts a run with JSON that the flow accepts, and with the workflow id and task queue of the starters', () => {
    const [, json = ''] = /--input '(\{.+\})'/.exec(README) ?? [];
    const parsed = FLOWS.refreshCase.parse(JSON.parse(json));
    expect(parsed).toMatchObject({ ok: true, value: { documents: true, account: DEFAULT_ACCOUNT } });
    const cnj = parsed.ok ? parsed.value.cnj : '';
    expect(README).toContain(`--workflow-id ${refreshCaseId(DEFAULT_ACCOUNT, cnj)} `);
    expect(README).toContain(`--task-queue ${DEFAULT_TASK_QUEUE} `);
  });

  it('lists the import paths of the package', () => {
    const { exports } = JSON.parse(readText('package.json')) as { exports: Record<string, unknown> };
    const paths = Object.keys(exports).map((path) => path.replace(/^\./, 'tramita'));
    expect(namesIn(tableOf(README, 'Path'))).toEqual(paths.filter((path) => path !== 'tramita/package.json'));
  });
});

describe('CONTRIBUTING.md', () => {
  it('lists every room in both tables', () => {
    const rooms = readdirSync(join(REPOSITORY, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect([...namesIn(tableOf(CONTRIBUTING, 'Room'))].sort()).toEqual(
      [...rooms.map((room) => `src/${room}`), 'sandbox'].sort(),
    );
    const importers = tableOf(sectionOf(CONTRIBUTING, '## Who may import whom'), 'Room').map(([room]) => room);
    expect(importers.sort()).toEqual([...rooms, 'sandbox'].sort());
  });

  it('lists every rung of the test ladder', () => {
    const { projects } = jestConfig();
    expect([...namesIn(tableOf(CONTRIBUTING, 'Rung'))].sort()).toEqual(
      projects.map(({ displayName }) => displayName).sort(),
    );
  });
});

describe('docs/data.md', () => {
  it('names every table and view of the schema', () => {
    const made = [...MIGRATIONS_TEXT.matchAll(/create (?:table|view) tramita\.(\w+)/g)].map(([, name = '']) => name);
    expect(made.length).toBeGreaterThan(20);
    const named = codeIn(document(join('docs', 'data.md')));
    expect(made.filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe('comments', () => {
  it('cite no document that is not in the repository', () => {
    const foreign = /\bdesign \d|\b(?:domain|reliability|temporal|performance|toolchain|style)\.md|\binterface-v\d/gi;
    const files = ['src', 'sandbox', 'test', 'soak', 'bench', 'model'].flatMap(filesBelow);
    const cited = files.flatMap((file) => [...readText(file).matchAll(foreign)].map(([name]) => `${file}: ${name}`));
    expect(cited).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names the files that keep each of at least 25 rules', () => {
    const rows = tableOf(document('CONTRIBUTING.md'), 'Rule');
    expect(rows.length).toBeGreaterThanOrEqual(25);
    const missing = namesIn(rows, 1).filter((file) => !existsSync(join(REPOSITORY, file)));
    expect(missing).toEqual([]);
  });

  it('names only paths of src that exist', () => {
    const paths = codeIn(CONTRIBUTING).filter((text) => /^src\/[\w./-]+$/.test(text));
    expect(paths.length).toBeGreaterThan(60);
    expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
  });
});

describe('docs/decisions/README.md', () => {
  it('lists every record', () => {
    const listed = linksIn('docs/decisions/README.md', document(join('docs', 'decisions', 'README.md')));
    const records = readdirSync(join(REPOSITORY, 'docs', 'decisions'))
      .filter((file) => /^\d{4}-/.test(file))
      .map((file) => join('docs', 'decisions', file));
    expect(records.filter((file) => !listed.includes(file))).toEqual([]);
  });
});

describe('docs/webhooks.md', () => {
  it('explains every answer of the bridge, and no other', () => {
    const explained = tableOf(WEBHOOKS, 'Status').map(([status]) => Number(status));
    const refusals = Array.from({ length: 200 }, (_, index) => 400 + index).filter(
      (status) => buildRefused(status).body['error'] !== 'refused',
    );
    expect(explained).toEqual([202, ...refusals]);
  });
});

describe('docs/sandbox.md', () => {
  it('lists the personas of the sandbox', () => {
    const rows = tableOf(SANDBOX, 'Case').map(([cnj, name, does]) => [cnj, name, does]);
    expect(rows).toEqual(PERSONAS.map(({ cnj, name, does }) => [`\`${formatCnj(cnj)}\``, `\`${name}\``, does]));
  });

  it('lists the keys and the operations of the sandbox', () => {
    const keys = namesIn(tableOf(SANDBOX, 'Key'));
    expect([...keys].sort()).toEqual(Object.values(API_KEYS).sort());
    const operations =
      sectionOf(SANDBOX, '## Limits')
        .split('\n')
        .find((line) => line.includes('operations:')) ?? '';
    expect([...namesIn([[operations]])].sort()).toEqual(Object.keys(HANDLERS).sort());
  });

  it('lists the faults of the sandbox with their own members', () => {
    const common = ['operation', 'times', 'after', 'cnj', 'fault'];
    const built = faultSchema.options.flatMap(({ shape }) => {
      const { fault } = shape;
      const own = Object.keys(shape).filter((member) => !common.includes(member));
      const names: readonly string[] = 'options' in fault ? fault.options : [...fault.values];
      return names.map((name) => [name, own] as const);
    });
    const explained = tableOf(SANDBOX, 'Fault').map(
      (row) =>
        [namesIn([row])[0], namesIn([row], 2).filter((name) => built.some(([, own]) => own.includes(name)))] as const,
    );
    const byName = (left: readonly [unknown, unknown], right: readonly [unknown, unknown]): number =>
      String(left[0]).localeCompare(String(right[0]), 'en', { numeric: true });
    expect([...explained].sort(byName)).toEqual([...built].sort(byName));
  });

  it('lists the control endpoints of the sandbox', () => {
    const source = readText('sandbox', 'transport', 'control-routes.ts');
    const served = [...source.matchAll(/^ {2}(get|post)\('(\/[\w/]+)'/gm)].map(
      ([, method = '', path]) => `${method.toUpperCase()} /__control${path}`,
    );
    expect(served.length).toBeGreaterThan(5);
    const explained = tableOf(SANDBOX, 'Endpoint').map((row) => namesIn([row])[0]);
    expect(explained.sort()).toEqual(served.sort());
  });

  it('lists the settings of the sandbox with their flags and defaults', () => {
    const rows = tableOf(SANDBOX, 'Option');
    expect([...namesIn(rows)].sort()).toEqual(Object.keys(settingsSchema.shape).sort());
    const flags = [...readText('sandbox', 'main.ts').matchAll(/\[(--[a-z-]+) /g)].map(([, flag]) => flag);
    expect([...namesIn(rows, 1)].sort()).toEqual(flags.sort());
    const defaults = settingsSchema.parse({});
    for (const name of ['refreshMs', 'slowRefreshMs', 'pollAfterMs', 'linkTtlMs', 'webhookMaxAttempts'] as const) {
      expect(rows.find((row) => namesIn([row])[0] === name)?.[2]).toMatch(new RegExp(`\\b${defaults[name]}$`));
    }
    expect([...namesIn(tableOf(SANDBOX, 'Dialect'))].sort()).toEqual(Object.keys(dialectSchema.shape).sort());
  });
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`);
}

function textsBelow(folder: string): readonly string[] {
  return filesBelow(folder).map((file) => readText(file));
}

/** Members of the configuration file at a path, sorted, as the error about an unknown member lists them. */
function membersAt(path: string): readonly string[] {
  const nested = path.split('.').reduceRight<unknown>(
    (inner, name) => {
      if (name === '') return inner;
      if (name === '*') return { one: inner };
      return name.endsWith('[]') ? { [name.slice(0, -2)]: [inner] } : { [name]: inner };
    },
    { nobodyKnows: 1 },
  );
  try {
    resolveConfig({ env: { TRAMITA_CONFIG: 'tramita.json' }, readFile: () => JSON.stringify(nested) });
  } catch (error) {
    const [, known = ''] = /Known members: ([\w, ]+)/.exec((error as Error).message) ?? [];
    return known.split(', ').sort();
  }
  return [];
}

/** Members of an interface in the text of its source, in order, with those of the interface that it extends. */
function interfaceMembers(source: string, name: string): readonly string[] {
  const form = new RegExp(`^export interface ${name}(?: extends (\\w+))? \\{\\n([\\s\\S]*?)^\\}`, 'm');
  const [, base, body = ''] = form.exec(source) ?? [];
  const own = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = '']) => member);
  return base === undefined ? own : [...own, ...interfaceMembers(source, base)];
}

/** What a pattern's first group finds in the code of all documents. */
function mentionsOf(pattern: RegExp): readonly string[] {
  return [...new Set(code.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? '')))];
}

async function commandsOf(parents: readonly string[]): Promise<readonly string[]> {
  let help = '';
  const write = (text: string): void => {
    help += text;
  };
  await runCli([...parents, '--help'], { env: {}, cwd: REPOSITORY, out: write, err: write, isTerminal: false });
  const list = help.slice(help.indexOf('Commands:'));
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name ?? '').filter((name) => name !== 'help');
}

function jestConfig(): { readonly projects: readonly { readonly displayName: string }[] } {
  return createRequire(__filename)('../../jest.config.cjs') as { projects: { displayName: string }[] };
}
