import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import { runCommand, type CommandRun } from './run-command.js';

describe('a stored list on a real server', () => {
  const flows = withFlows({ sandbox: { refreshMs: 200 } });
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);
  const name = `mondays-${process.pid}`;

  it('can be loaded, shown, refreshed, and refreshed again by a schedule', async () => {
    const cases = [newCase(), newCase()];
    const file = join(flows.config.filesDir, 'cases.txt');
    writeFileSync(file, `${cases.join('\n')}\n`);
    expect(await tramita('lists', 'load', file, '--name', name, '--json')).toMatchObject({ exitCode: 0 });
    expect((await tramita('lists', 'show', name, '--json')).json()).toEqual(cases);

    const run = await tramita('start', 'refreshPortfolio', '--input', JSON.stringify({ name }), '--wait');
    expect(run.json()).toMatchObject({ done: 2, remaining: 0 });

    const cron = ['--input', JSON.stringify({ name }), '--cron', '99 6 * * 1'];
    expect(await tramita('schedule', 'add', name, 'refreshPortfolio', ...cron)).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/^tramita: --cron: Temporal refuses "99 6 \* \* 1": .*0-59/) as string,
    });

    // A paused schedule that would run every minute.
    const input = JSON.stringify({ name, maxAge: '1d' });
    const added = await tramita(
      'schedule',
      'add',
      name,
      'refreshPortfolio',
      '--input',
      input,
      '--every',
      '1m',
      '--paused',
    );
    expect(added).toMatchObject({ exitCode: 0, err: '' });
    expect(await tramita('schedule', 'add', name, 'refreshPortfolio', '--input', input, '--every', '1m')).toMatchObject(
      {
        exitCode: 1,
      },
    );
    const listed = await until(
      async () =>
        ((await tramita('schedule', 'list', '--json')).json() as { name: string }[]).find((row) => row.name === name),
      { what: 'the schedule in the list' },
    );
    expect(listed).toMatchObject({ flow: 'refreshPortfolio', paused: true });

    await flows.client.schedule.getHandle(`tramita/${name}`).trigger();
    const { recentActions } = await until(
      async () => {
        const { info } = await flows.client.schedule.getHandle(`tramita/${name}`).describe();
        return info.recentActions.length > 0 ? info : undefined;
      },
      { what: 'a scheduled run' },
    );
    const started = recentActions[0]?.action;
    const again: unknown = await flows.client.workflow.getHandle(started?.workflow.workflowId ?? '').result();
    // Recent answers are reused, so nothing was paid twice.
    expect(again).toMatchObject({ done: 2, spent: { known: '0', unknown: 0 } });
    expect((await flows.charges()).filter(({ subject }) => cases.includes(subject.cnj))).toHaveLength(2);

    expect(await tramita('schedule', 'resume', name)).toMatchObject({ exitCode: 0 });
    expect(await tramita('schedule', 'pause', name)).toMatchObject({ exitCode: 0 });
    const { state } = await flows.client.schedule.getHandle(`tramita/${name}`).describe();
    expect(state.note).toBe('paused by tramita schedule pause');
    expect(await tramita('schedule', 'pause', name, '--note', 'holidays')).toMatchObject({ exitCode: 0 });
    expect((await tramita('schedule', 'remove', name, '--json')).json()).toEqual({ name, done: 'removed' });
    const removed = await tramita('schedule', 'remove', name);
    expect(removed).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('"tramita schedule list" shows those that exist') as string,
    });
  });
});
