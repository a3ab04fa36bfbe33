import { readSchedule, type ScheduleFlags } from '../../src/cli/input/schedule-options.js';
import { parseCaseList } from '../../src/cli/input/parse-case-list.js';
import { progressBar } from '../../src/cli/wait-for-flow.js';

const CASE = '1000001-51.2026.8.26.0100';
const DIGITS = '10000015120268260100';

describe('a file of case numbers', () => {
  it('gives each case once, with or without its mask, from the first column', () => {
    const text = `\uFEFF# Monday\r\n${CASE}\n\n"${DIGITS}";Silva\n${CASE} # again\n`;
    expect(parseCaseList(text)).toEqual({ cases: [DIGITS], repeated: 2 });
  });

  it('is refused with every line that is not a case number', () => {
    const text = `${CASE}\nabc\n10000015120268260101\n`;
    expect(() => parseCaseList(text)).toThrow(/^tramita: line 2: .*\ntramita: line 3: .*$/);
  });

  it('is refused with at most 20 problems', () => {
    expect(() => parseCaseList('x\n'.repeat(500))).toThrow(/^(.*\n){20}tramita: … and 480 more lines$/);
  });

  it('is refused if it is empty', () => expect(() => parseCaseList('# nothing\n')).toThrow('no case number'));
});

describe('schedule add', () => {
  const flags: ScheduleFlags = { input: '{"name":"monday"}', cron: '0 6 * * 1', jitter: '5m', catchUp: '10m' };
  const read = (changes: Partial<ScheduleFlags> = {}, flow = 'refreshPortfolio', name = 'mondays') =>
    readSchedule({ name, flow, flags: { ...flags, ...changes }, taskQueue: 'tramita' });

  it('skips overlaps, catches up minutes only, adds jitter, and uses the time zone of São Paulo', () => {
    expect(read()).toMatchObject({
      spec: { cronExpressions: ['0 6 * * 1'], jitter: 300_000, timezone: 'America/Sao_Paulo' },
      policies: { overlap: 'SKIP', catchupWindow: 600_000 },
      action: { workflowType: 'refreshPortfolio', workflowId: 'schedule.mondays', args: [{ name: 'monday' }] },
    });
  });

  it.each([
    [{ input: '[]' }, '--input'],
    [{ input: '{"name":"no name at all"}' }, 'input.name'],
    [{ every: '6h' }, 'either --cron or --every'],
    [{ cron: 'daily' }, '--cron'],
    [{ jitter: 'some' }, '--jitter'],
    [{ catchUp: '1s' }, '--catch-up'],
  ])('refuses %j', (changes, problem) => {
    expect(() => read(changes)).toThrow(problem);
  });

  it('refuses a flow that would buy the same answer on every run, and an invalid name', () => {
    expect(() => read({}, 'callOperation')).toThrow('"callOperation" cannot be scheduled');
    expect(() => read({}, 'refreshPortfolio', 'two words')).toThrow('cannot be the name of a schedule');
  });
});

it('progressBar shows the progress of a portfolio', () => {
  expect(progressBar({ done: 10, failed: 2, remaining: 12 })).toBe('[############............] 12/24');
  expect(progressBar({ remaining: 0 })).toContain('0/0');
});
