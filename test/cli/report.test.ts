/** `tramita report` in the terminal and as a file: the cost of flows, without case numbers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCase } from '../support/case-number.js';
import { withFlows } from '../flows/with-flows.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('tramita report', () => {
  const flows = withFlows();
  const folder = temporaryFolder('report');
  const report = (...args: string[]): Promise<CommandRun> => runCommand(['report', ...args], flows.env);

  it('shows the cost of flows in tables and on a page, without case numbers', async () => {
    const cnj = newCase();
    await (await flows.refresh({ cnj, documents: true })).result();
    const { out, exitCode } = await report();
    expect(exitCode).toBe(0);
    expect(out).toContain('days of São Paulo');
    expect(out).toMatch(/^requestRefresh +0\.10 +1 +0\.00 +0$/m);
    expect(out).toMatch(/^refreshCase +0\.30 +2 +0\.00 +0$/m);
    expect(out.match(/^Sum +0\.30 +2 +0\.00 +0$/gm)).toHaveLength(3);

    const file = join(folder, 'report.html');
    expect((await report('--html', file)).out).toContain(file);
    const page = readFileSync(file, 'utf8');
    const [, body = ''] = page.split('<body');
    expect((await report('--html', '-')).out.split('<body')[1]?.replace(/[\d:.-]+Z/g, '')).toBe(
      body.replace(/[\d:.-]+Z/g, ''),
    );
    expect(page).toContain('<td>refreshCase</td><td>0.30</td>');

    const machines = await report('--json');
    expect(machines.json()).toMatchObject({
      from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      accounts: [{ account: 'default', waits: [{ state: 'done', decided: false, count: 1 }], undecided: [] }],
    });
    const spend = {
      workflowType: 'refreshCase',
      operation: 'requestRefresh',
      charged: '0.1',
      held: '0',
      chargedCalls: 1,
    };
    expect(machines.json()).toMatchObject({
      accounts: [{ spend: expect.arrayContaining([expect.objectContaining(spend)]) as unknown }],
    });
    for (const text of [page, out, machines.out]) expect(text.replace(/\D/g, '')).not.toContain(cnj.replace(/\D/g, ''));
  });

  it('fails if the page cannot be written', async () => {
    const file = join(folder, 'nowhere', 'report.html');
    expect(await report('--html', file)).toMatchObject({
      exitCode: 1,
      out: '',
      err: `tramita: --html: ${file} cannot be written (ENOENT); name a file in an existing folder\n`,
    });
  });

  it.each([
    [['--from', 'yesterday'], '--from: seen "yesterday"; expected a day like 2026-03-10'],
    [['--from', '2026-03-11', '--to', '2026-03-10'], '--from: seen "2026-03-11", which is after --to "2026-03-10"'],
    [['--from', '1026-03-11'], '--from: seen "1026-03-11"; expected at most ten years'],
    [['--json', '--html', 'report.html'], "option '--html <file>' cannot be used with option '--json'"],
    [['--account', 'other'], '--account: there is no account "other"; configured: default'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, err } = await report(...args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
