/** The charts and the page of `tramita report`: exact tables, unknown charges apart, and foreign text escaped. */
import { buildPage } from '../../src/cli/report/page.js';
import { buildCharts, type Chart } from '../../src/cli/report/report.js';
import { DAYS, FIGURES, money } from '../support/report-figures.js';

const EVIL = `"><script>alert(1)</script>&'\u202e`;
const chartsOf = (figures = FIGURES): readonly Chart[] => buildCharts(figures, DAYS);
const chart = (title: string, charts = chartsOf()): Chart => {
  const found = charts.find((each) => each.title === title);
  if (found === undefined) throw new Error(`no chart "${title}"`);
  return found;
};

it('buildCharts sums exactly, by day, operation and flow', () => {
  const { rows, bars } = chart('Spend by day');
  expect(rows).toHaveLength(DAYS.length + 1);
  expect(bars).toHaveLength(DAYS.length);
  const sum = rows.at(-1);
  expect(sum).toEqual(chart('Spend by operation').rows.at(-1));
  expect(sum).toEqual(chart('Spend by flow').rows.at(-1));
  const { spend } = FIGURES;
  const added = (member: 'charged' | 'held' | 'chargedCalls' | 'heldCalls'): number =>
    spend.reduce((all, row) => all + row[member], 0);
  expect(sum).toEqual([
    // All amounts have as many decimal places as the longest one.
    ...['Sum', `${money(added('charged'))}0`, String(added('chargedCalls'))],
    ...[`${money(added('held'))}0`, String(added('heldCalls'))],
  ]);
});

it('buildCharts shows unknown charges apart, with their reserved amount', () => {
  const charts = chartsOf({
    ...FIGURES,
    spend: [
      {
        day: DAYS[0] ?? '',
        operation: 'getCase',
        workflowType: 'readCase',
        charged: 0 as never,
        chargedCalls: 0,
        held: 1_500 as never,
        heldCalls: 3,
      },
    ],
    saved: [{ by: 'kept', calls: 2, saved: 0 as never, unknownCalls: 2 }],
  });
  expect(chart('Spend by operation', charts).rows[0]).toEqual(['getCase', '0.00', '0', '0.15', '3']);
  expect(chart('What was not paid twice', charts).rows[0]?.at(-1)).toBe('2');
});

it('buildCharts groups by month if there are too many days', () => {
  const days = Array.from({ length: 90 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10));
  const { rows } = chart('Spend by month', buildCharts(FIGURES, days));
  expect(rows.map(([label]) => label)).toEqual(['2026-01', '2026-02', '2026-03', 'Sum']);
});

it('buildCharts says if webhooks are not known, and the page says if there was nothing', () => {
  expect(chart('Webhooks that were expected', chartsOf({ ...FIGURES, webhooks: null })).text).toContain('Not known');
  const nothing = { ...FIGURES, spend: [], saved: [], waits: [], undecided: [] };
  for (const { bars, rows, title } of chartsOf(nothing)) {
    if (title !== 'Webhooks that were expected') expect([bars, rows]).toEqual([[], []]);
  }
  expect(buildPage(page(chartsOf(nothing)))).toContain('Nothing in this period.');
});

describe('the page of the report', () => {
  const hostile = FIGURES.spend.map((row) => ({ ...row, operation: EVIL, workflowType: EVIL }));
  const html = buildPage({ ...page(chartsOf({ ...FIGURES, spend: hostile })), period: EVIL });

  it('has no script and no external resource, and escapes foreign text', () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|javascript:/i);
    expect(html).not.toMatch(/https?:/);
    expect(html).not.toContain('\u202e');
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;?');
    expect(html).toContain(`default-src 'none'`);
  });

  it('describes each chart for screen readers, and has a table beneath it', () => {
    const count = (form: RegExp): number => [...html.matchAll(form)].length;
    const charts = count(/<svg /g);
    expect(charts).toBe(7);
    expect(count(/role="img" aria-labelledby="/g)).toBe(charts);
    expect(count(/<desc id="/g)).toBe(charts);
    expect(count(/<\/svg>\n<div class="table"><table aria-label="/g)).toBe(charts);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names its time zone and currency, and has styles for dark mode and print', () => {
    for (const text of [
      'civil days of São Paulo',
      'currency of the account',
      'prefers-color-scheme:dark',
      '@media print',
    ]) {
      expect(html).toContain(text);
    }
  });
});

function page(charts: readonly Chart[]): Parameters<typeof buildPage>[0] {
  return {
    period: '2026-03-01 to 2026-03-31',
    madeAt: '2026-04-01T12:00:00.000Z',
    accounts: [{ account: EVIL, charts }],
  };
}
