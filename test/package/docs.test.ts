/** The documents against the code: what exists is mentioned, what is mentioned exists, links and examples hold. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildRefused } from '../../src/bridge/answers.js';
import { runCli } from '../../src/cli/program.js';
import { VARIABLES } from '../../src/config/index.js';
import { formatCnj } from '../../src/contract/index.js';
import {
  DEFAULT_ACCOUNT,
  DEFAULT_TASK_QUEUE,
  FAILURE_TYPES,
  parseInputOf,
  parseRefreshCaseInput,
  refreshCaseId,
  SEARCH_ATTRIBUTES,
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

/** A record, so that the compiler asks for the attention that is new. */
const ATTENTIONS: Readonly<Record<Attention, true>> = {
  'unknown-charge': true,
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
const SANDBOX = document(join('docs', 'sandbox.md'));
const FLOWS = document(join('docs', 'flows.md'));
const WEBHOOKS = document(join('docs', 'webhooks.md'));
const CONTRIBUTING = document('CONTRIBUTING.md');
const everywhere = [...DOCUMENTS.values()].join('\n');
const code = [...DOCUMENTS.values()].flatMap(codeIn);

describe('links', () => {
  it.each([...DOCUMENTS.keys()])('of %s lead to files that exist', (file) => {
    const gone = linksIn(file, document(file)).filter((target) => !existsSync(join(REPOSITORY, target)));
    expect(gone).toEqual([]);
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

  it('has every environment variable, and marks exactly the secret ones', () => {
    const rows = tableOf(sectionOf(OPERATING, '## Settings'), 'Variable');
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

  it('gives inputs of updates that are JSON', () => {
    const inputs = [...OPERATING.matchAll(/--input '(.+)'/g)].map(([, json]) => JSON.parse(json ?? '') as unknown);
    expect(inputs).toEqual([{ step: 'requestRefresh', decision: 'not-charged', by: 'ana' }, { by: 'ana' }]);
  });
});

describe('docs/flows.md', () => {
  const sections = FLOWS.split(/^## /m).slice(1);
  const typesOf = (section: string): readonly string[] =>
    [...(section.split('\n')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, type = '']) => type);

  it('has every flow, and no other', () => {
    expect(sections.flatMap(typesOf).sort()).toEqual([...WORKFLOW_TYPES].sort());
  });

  it('gives for each flow an input that it takes', () => {
    for (const section of sections) {
      const examples = [...section.matchAll(/```json\n([^`]+)```/g)].map(
        ([, json]) => JSON.parse(json ?? '') as unknown,
      );
      expect(examples).toHaveLength(1);
      for (const type of typesOf(section) as WorkflowType[]) {
        expect({ type, ...parseInputOf(type)(examples[0]) }).toMatchObject({ ok: true });
      }
    }
  });
});

describe('every document', () => {
  it('mentions only environment variables that exist', () => {
    const known = new Set(VARIABLES.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
    const mentioned = new Set(everywhere.match(/\bTRAMITA_[A-Z][A-Z_]*[A-Z]\b/g));
    expect([...mentioned].filter((name) => !known.has(name))).toEqual([]);
  });

  it('mentions only commands and scripts that exist, and together they mention every command', async () => {
    const commands = await commandsOf([]);
    expect(commands).toContain('worker');
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const called = mentionsOf(/(?:^|\s)tramita ([a-z][a-z-]*)/gm);
    const run = mentionsOf(/\bnpm run ([a-z][a-z:-]*)/g);
    expect(called.filter((name) => !commands.includes(name))).toEqual([]);
    expect(run.filter((name) => scripts[name] === undefined)).toEqual([]);
    // the changelog lists them by their names alone
    const mentioned = [...called, ...run, ...code];
    expect(commands.filter((name) => !mentioned.includes(name))).toEqual([]);
    expect(await commandsOf(['ledger'])).toEqual(['list', 'check', 'export']);
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
  it('starts a run by plain JSON that the flow takes, under the id and on the queue of the starters', () => {
    const [, json = ''] = /--input '(\{.+\})'/.exec(README) ?? [];
    const parsed = parseRefreshCaseInput(JSON.parse(json));
    expect(parsed).toMatchObject({ ok: true, value: { documents: true, account: DEFAULT_ACCOUNT } });
    const cnj = parsed.ok ? parsed.value.cnj : '';
    expect(README).toContain(`--workflow-id ${refreshCaseId(DEFAULT_ACCOUNT, cnj)} `);
    expect(README).toContain(`--task-queue ${DEFAULT_TASK_QUEUE} `);
  });

  it('lists every member of the input, and no other', () => {
    const refused = parseRefreshCaseInput({ nobody: 1 });
    const [, known = ''] = /known members are (.+)$/.exec(refused.ok ? '' : refused.problem) ?? [];
    expect([...namesIn(tableOf(README, 'Member of the input'))].sort()).toEqual(known.split(', ').sort());
  });

  it('lists the import paths of the package', () => {
    const { exports } = JSON.parse(readText('package.json')) as { exports: Record<string, unknown> };
    const paths = Object.keys(exports).map((path) => path.replace(/^\./, 'tramita'));
    expect(namesIn(tableOf(README, 'Path'))).toEqual(paths.filter((path) => path !== 'tramita/package.json'));
  });
});

describe('CONTRIBUTING.md', () => {
  it('has every room, in both tables', () => {
    const rooms = readdirSync(join(REPOSITORY, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect([...namesIn(tableOf(CONTRIBUTING, 'Room'))].sort()).toEqual(
      [...rooms.map((room) => `src/${room}`), 'sandbox'].sort(),
    );
    const importers = tableOf(sectionOf(CONTRIBUTING, '## Who may import whom'), 'Room').map(([room]) => room);
    expect(importers.sort()).toEqual([...rooms, 'sandbox'].sort());
  });

  it('has every rung of the test ladder', () => {
    const { projects } = jestConfig();
    expect([...namesIn(tableOf(CONTRIBUTING, 'Rung'))].sort()).toEqual(
      projects.map(({ displayName }) => displayName).sort(),
    );
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
  it('has the personas of the sandbox', () => {
    const rows = tableOf(SANDBOX, 'Case').map(([cnj, name, does]) => [cnj, name, does]);
    expect(rows).toEqual(PERSONAS.map(({ cnj, name, does }) => [`\`${formatCnj(cnj)}\``, `\`${name}\``, does]));
  });

  it('has its keys and its operations', () => {
    const keys = namesIn(tableOf(SANDBOX, 'Key'));
    expect([...keys].sort()).toEqual(Object.values(API_KEYS).sort());
    const operations =
      sectionOf(SANDBOX, '## Limits')
        .split('\n')
        .find((line) => line.includes('operations:')) ?? '';
    expect([...namesIn([[operations]])].sort()).toEqual(Object.keys(HANDLERS).sort());
  });

  it('has its faults, with their own members', () => {
    const common = ['operation', 'times', 'after', 'fault'];
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
    const byName = (one: readonly [unknown, unknown], other: readonly [unknown, unknown]): number =>
      String(one[0]).localeCompare(String(other[0]), 'en', { numeric: true });
    expect([...explained].sort(byName)).toEqual([...built].sort(byName));
  });

  it('has its control endpoints', () => {
    const source = readText('sandbox', 'transport', 'control-routes.ts');
    const served = [...source.matchAll(/^ {2}(get|post)\('(\/[\w/]+)'/gm)].map(
      ([, method = '', path]) => `${method.toUpperCase()} /__control${path}`,
    );
    expect(served.length).toBeGreaterThan(5);
    const explained = tableOf(SANDBOX, 'Endpoint').map((row) => namesIn([row])[0]);
    expect(explained.sort()).toEqual(served.sort());
  });

  it('has its settings with their flags and plain defaults', () => {
    const rows = tableOf(SANDBOX, 'Option');
    expect([...namesIn(rows)].sort()).toEqual(Object.keys(settingsSchema.shape).sort());
    const flags = [...readText('sandbox', 'main.ts').matchAll(/^ {6}'?([a-z-]+)'?: \{ type: 'string'/gm)].map(
      ([, flag]) => `--${flag}`,
    );
    expect([...namesIn(rows, 1)].sort()).toEqual(flags.sort());
    const defaults = settingsSchema.parse({});
    for (const name of ['refreshMs', 'slowRefreshMs', 'pollAfterMs', 'linkTtlMs', 'webhookMaxAttempts'] as const) {
      expect(rows.find((row) => namesIn([row])[0] === name)?.[2]).toMatch(new RegExp(`\\b${defaults[name]}$`));
    }
    expect([...namesIn(tableOf(SANDBOX, 'Dialect'))].sort()).toEqual(Object.keys(dialectSchema.shape).sort());
  });
});

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
