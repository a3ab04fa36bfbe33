/** `tramita plan`, `tramita portfolio plan` and the planner example. Only started flows are charged, plans are not. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPortfolios } from '../../src/records/index.js';
import { endTurn, takeTurn } from '../../src/store/index.js';
import { runCommand, type CommandRun } from '../cli/run-command.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

const run = promisify(execFile);
const EXAMPLE = join(__dirname, '../../examples/planner/start-within.mjs');

describe('planning at the terminal', () => {
  // Encrypted, as with the manifests of deploy/: a client without the keys cannot read a result.
  const payloadKeys = `k1:${randomBytes(32).toString('base64')}`;
  const flows = withFlows({ settings: { prices: { requestRefresh: '0.10' } }, payloadKeys });
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);
  const list = `firm-${Math.random().toString(36).slice(2, 8)}`;
  const cases = Array.from({ length: 5 }, () => newCase());
  const today = (days: number): string =>
    new Date(Date.now() - 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);

  beforeAll(() =>
    createPortfolios({ db: flows.database.db }).saveList({ account: 'default', name: list, cases: cases as never }),
  );

  it('shows the cost of a list without its fresh answers, and refuses wrong input', async () => {
    await (await flows.refresh({ cnj: cases[0] ?? '' })).result();
    const plan = await tramita('plan', 'refreshCase', '--list', list, '--input', '{"maxAge":"1h"}', '--json');
    expect(plan.json()).toMatchObject({ flows: 5, cost: { kind: 'exact', amount: '0.4' }, stop: null, problem: null });
    const runPlan = (args: readonly string[], isTerminal: boolean) =>
      runCommand(args, flows.env, undefined, isTerminal);
    const ofList = ['plan', 'refreshCase', '--list', list, '--json'];
    expect([(await runPlan(ofList, true)).err, (await runPlan(ofList, false)).err]).toEqual([
      expect.stringContaining('looked up 5 of 5 cases'),
      '',
    ]);
    const text = await tramita('plan', 'refreshPortfolio', '--list', list, '--input', '{"maxSpend":"0.25"}');
    expect(text.out).toContain('cost: 0.2, if every call succeeds');
    expect(text.out).toContain('does not fit under the cap "shared" (0.25; needed 0.3), after 0.2');
    const wrong = await tramita('plan', 'refreshCase', '--input', '{"cnj":"1"}');
    expect([wrong.exitCode, wrong.err]).toEqual([2, expect.stringContaining('input.cnj')]);
    const none = ['plan', 'refreshPortfolio', '--list', 'none', '--input'];
    for (const input of ['{}', '{"once":"night 1"}']) {
      const absent = await tramita(...none, input);
      expect([absent.exitCode, absent.err]).toEqual([1, expect.stringContaining('there is no stored list')]);
      expect(absent.out).not.toContain('cost');
      const forMachines = await tramita(...none, input, '--json');
      expect([forMachines.exitCode, forMachines.err]).toEqual([1, absent.err]);
      expect(forMachines.json()).toMatchObject({ problem: expect.stringContaining('no stored list') as string });
    }
    const nights = ['portfolio', 'plan', '--list', 'none', '--budget', '1.00', '--by', today(1)];
    const [plain, json] = [await tramita(...nights), await tramita(...nights, '--json')];
    expect([plain.exitCode, json.exitCode, json.err]).toEqual([1, 1, plain.err]);
    const unfit = await tramita('plan', 'auditMonitors', '--list', list);
    expect([unfit.exitCode, unfit.err]).toEqual([2, expect.stringContaining('--list goes with')]);
  });

  it('spreads a list over nights within the budget, the most recently refreshed case last, and stores them once', async () => {
    const nightsOf = (name: string): readonly string[] => ['portfolio', 'plan', '--list', name, '--by', today(2)];
    const nights = nightsOf(list);
    expect((await tramita(...nights, '--budget', 'much')).exitCode).toBe(2);
    expect((await tramita(...nights, '--budget', '1.00', '--by', today(0))).exitCode).toBe(2);
    expect((await tramita(...nights, '--budget', '1.00', '--account', 'other')).exitCode).toBe(2);
    const planned = await tramita(...nights, '--budget', '0.45', '--json');
    expect(planned.json()).toMatchObject({
      price: '0.1',
      cost: '0.4',
      left: 1,
      stored: [],
      nights: [
        { night: today(1), cases: [cases[1], cases[2]], cost: '0.2' },
        { night: today(2), cases: [cases[3], cases[4]], cost: '0.2' },
      ],
    });
    const names = [1, 2].map((day) => `plan.default.${list}.${today(day)}`);
    const lists = createPortfolios({ db: flows.database.db });
    await lists.saveList({ account: 'default', name: `${list}.sp`, cases: [newCase()] as never });
    const other = await tramita(...nightsOf(`${list}.sp`), '--budget', '0.45', '--store', '--json');
    const otherNights = other.json() as { readonly stored: readonly string[] };
    expect(otherNights.stored).toHaveLength(1);
    for (const budget of ['0.45', '500.00']) {
      const stored = await tramita(...nights, '--budget', budget, '--store', '--json');
      expect(stored.json()).toMatchObject({ stored: names });
    }
    // Another person stores a plan of this list just now.
    const turn = `nights ${JSON.stringify(['default', list])}`;
    expect(await takeTurn(flows.database.db, turn, 60_000)).toBe(true);
    const busy = await tramita(...nights, '--budget', '0.45', '--store');
    expect([busy.exitCode, busy.err]).toEqual([1, expect.stringContaining('another command is storing the nights')]);
    await endTurn(flows.database.db, turn);
    // A budget without room for a night stores no plan, and the stored nights stay.
    const poor = await tramita(...nights, '--budget', '0.09', '--store');
    expect([poor.exitCode, poor.err]).toEqual([
      2,
      expect.stringContaining('costs up to 0.1: budget "0.09" has no room'),
    ]);
    const described = await flows.client.schedule.getHandle(`tramita/${names[1] ?? ''}`).describe();
    expect(described.action.args).toEqual([
      expect.objectContaining({ name: `${list}.${today(2)}`, maxSpend: '0.2', once: `night ${today(2)}` }),
    ]);
    expect(described.info.nextActionTimes[0]?.toISOString().slice(0, 13)).toBe(`${today(2)}T05`);
    expect(described.state.remainingActions).toBe(1);
    const portfolios = createPortfolios({ db: flows.database.db });
    expect(await portfolios.casesOf('default', `${list}.${today(1)}`)).toHaveLength(3);
    // Another list, whose name begins like this one's, has kept its nights.
    for (const name of [...names, ...otherNights.stored])
      expect((await tramita('schedule', 'remove', name)).exitCode).toBe(0);
    expect((await tramita(...nights, '--budget', '-1')).err).toContain('budget: seen "-1"; expected an amount');
    const elsewhere = [...nightsOf('none'), '--budget', '1'];
    expect((await tramita(...elsewhere)).err).toMatch(
      /no list "none" of account "default"; "tramita lists show" shows those/,
    );
    expect((await tramita(...elsewhere, '--account', 'x')).err).toContain(
      '"x" is not configured; configured accounts: ',
    );
  });

  it('lets the example start nothing above its limit, and pay what was planned below it', async () => {
    const before = (await flows.charges()).length;
    const start = async (limit: string): Promise<string> => {
      const { stdout } = await run(process.execPath, [EXAMPLE, list, limit], {
        env: { PATH: process.env['PATH'], ...flows.env },
      });
      return stdout;
    };
    expect(await start('0.30')).toContain('not started: the limit is 0.30');
    expect(await flows.charges()).toHaveLength(before);
    const output = await start('1.00');
    expect(output).toContain('cost: exact 0.4');
    expect(output).toContain('done: 5, spent 0.4');
    expect(await flows.charges()).toHaveLength(before + 4);
  });
});
