/** What Temporal shows of the flows of an account that masks case numbers, started by a backend or by the command. */
import { createStarterDeps } from '../../src/config/index.js';
import { startReadCase, startRefreshCase, startSummarizeCase, type StarterDeps } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand } from './run-command.js';

describe('the flows of an account that masks case numbers', () => {
  const flows = withFlows({ worker: false, account: { maskCnj: true } });

  /** Everything that Temporal shows of a run, except its input. */
  async function shown(workflowId: string): Promise<string> {
    const handle = flows.client.workflow.getHandle(workflowId);
    const { raw, typedSearchAttributes } = await handle.describe();
    await handle.terminate('seen');
    const { userMetadata } = raw.executionConfig ?? {};
    const summary = Buffer.from(userMetadata?.summary?.data ?? []).toString();
    expect(summary).toContain('case ');
    return JSON.stringify([workflowId, summary, typedSearchAttributes.getAll().map(({ value }) => value)]);
  }

  it.each([
    ['refresh', (deps: StarterDeps, cnj: string) => startRefreshCase(deps, { cnj })],
    ['summary', (deps: StarterDeps, cnj: string) => startSummarizeCase(deps, { cnj })],
    ['case', (deps: StarterDeps, cnj: string) => startReadCase(deps, { cnj, include: ['cover'] })],
  ] as const)(
    'have no case number in id, summary and attributes: a %s started by createStarterDeps',
    async (name, start) => {
      const cnj = newCase();
      const deps: StarterDeps = createStarterDeps(flows.config, flows.client);
      const { workflowId } = await start(deps, cnj);
      expect(workflowId).toMatch(new RegExp(`^${name}\\.default\\.[\\w-]{32}`));
      const text = await shown(workflowId);
      expect(text).toContain(deps.token('case', cnj));
      expect(text.replace(/[.-]/g, '')).not.toContain(cnj);
    },
  );

  it('have no case number in id, summary and attributes: a refresh started by "tramita start"', async () => {
    const cnj = newCase();
    const run = await runCommand(['start', 'refreshCase', '--cnj', cnj, '--json'], flows.env);
    const { workflowId } = run.json() as { workflowId: string };
    expect(workflowId).toMatch(/^refresh\.default\.[\w-]{32}$/);
    expect((await shown(workflowId)).replace(/[.-]/g, '')).not.toContain(cnj);
  });

  it('are masked by account, and need an id key', () => {
    const { accounts, taskQueue } = flows.config;
    const { masksCnj } = createStarterDeps(flows.config, flows.client);
    expect([masksCnj('default'), masksCnj('other'), masksCnj('constructor')]).toEqual([true, false, false]);
    expect(() => createStarterDeps({ accounts, taskQueue }, flows.client)).toThrow(
      /^tramita: TRAMITA_ID_KEY \(or TRAMITA_ID_KEY_FILE, .*is not set/,
    );
  });
});
