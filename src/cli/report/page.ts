/** A report as one self-contained HTML page: no script, no external font or picture. Pure. */
import { drawChart } from './draw.js';
import { escapeHtml } from './escape.js';
import type { Chart } from './report.js';

export interface ReportPage {
  /** As requested, e.g. `2026-03-01 to 2026-03-31`. */
  readonly period: string;
  /** When it was made, ISO. */
  readonly madeAt: string;
  readonly accounts: readonly { readonly account: string; readonly charts: readonly Chart[] }[];
}

const LIGHT =
  '--page:#fff;--card:#fff;--ink:#1c2733;--soft:#5a6875;--line:#dde3ea;--known:#2d6cb5;--held:#e09a25;--bad:#c8442f;--plain:#3c8f7c';
const DARK =
  '--page:#12171d;--card:#1a2129;--ink:#e7ecf1;--soft:#a3b0bd;--line:#323d48;--known:#6aa6e8;--held:#f0b449;--bad:#f0806a;--plain:#63bfa9';

const STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:980px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}
h2{font-size:21px;margin:40px 0 12px}
h3{font-size:17px;margin:0 0 2px}
p{margin:0 0 10px}
.soft,figcaption p{color:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:6px 20px;margin:14px 0 0;padding:0;list-style:none;color:var(--soft)}
.legend i{display:inline-block;width:12px;height:12px;margin-right:7px;border-radius:2px;vertical-align:-1px}
figure{margin:0 0 20px;padding:18px 20px 14px;background:var(--card);border:1px solid var(--line);border-radius:8px;break-inside:avoid}
svg{display:block;width:100%;height:auto;margin:8px 0 12px;font-size:13px}
svg text{fill:var(--ink)}svg .tick{fill:var(--soft);font-size:12px}svg .value{font-variant-numeric:tabular-nums}
svg .grid{stroke:var(--line);stroke-width:1}
.known{fill:var(--known);background:var(--known)}.held{fill:var(--held);background:var(--held)}
.bad{fill:var(--bad);background:var(--bad)}.plain{fill:var(--plain);background:var(--plain)}
.table{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px 4px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;white-space:normal}
th{color:var(--soft);font-weight:600}
tr.sum td{font-weight:600;border-bottom:0}
summary{cursor:pointer;color:var(--soft)}
@media print{
:root{color-scheme:light;${LIGHT}}
body{font-size:11pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
figure{border-color:#bbb}
h2{break-after:avoid}thead{display:table-header-group}tr{break-inside:avoid}
figure.long{break-inside:auto}
}`.trim();

const POLICY = `default-src 'none'; style-src 'unsafe-inline'`;

export function buildPage({ period, madeAt, accounts }: ReportPage): string {
  const title = `tramita report, ${period}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<main>
<h1>What the court data cost</h1>
<p class="soft">${escapeHtml(period)} · created ${escapeHtml(madeAt)}</p>
<p>Days are civil days of São Paulo. Amounts are in the currency of the account, exact to the last place. An unknown charge is never counted as zero: it is shown separately, at the amount that is held for it.</p>
<ul class="legend"><li><i class="known"></i>known</li><li><i class="held"></i>held: not known yet</li><li><i class="bad"></i>needs attention</li><li><i class="plain"></i>saved, or neither of these</li></ul>
${accounts.map(({ account, charts }, index) => section(account, charts, index)).join('\n')}
</main>
</body>
</html>
`;
}

function section(account: string, charts: readonly Chart[], index: number): string {
  const figures = charts.map((chart, at) => figure(chart, `chart-${index + 1}-${at + 1}`));
  return `<section><h2>Account ${escapeHtml(account)}</h2>\n${figures.join('\n')}\n</section>`;
}

/** A table with more rows may be broken over printed pages. */
const LONG = 14;

function figure(chart: Chart, id: string): string {
  const { title, text, bars, rows } = chart;
  const caption = `<figcaption><h3>${escapeHtml(title)}</h3><p>${escapeHtml(text)}</p></figcaption>`;
  const body = bars.length === 0 ? '<p>Nothing in this period.</p>' : `${drawChart(chart, id)}\n${table(chart)}`;
  return `<figure${rows.length > LONG ? ' class="long"' : ''}>${caption}\n${body}</figure>`;
}

function table({ title, head, rows, isSum }: Chart): string {
  const cells = (row: readonly string[], tag: 'th' | 'td'): string =>
    row.map((cell) => `<${tag}${tag === 'th' ? ' scope="col"' : ''}>${escapeHtml(cell)}</${tag}>`).join('');
  const body = rows.map((row, index) => {
    const mark = isSum && index === rows.length - 1 ? ' class="sum"' : '';
    return `<tr${mark}>${cells(row, 'td')}</tr>`;
  });
  return `<div class="table"><table aria-label="${escapeHtml(title)}"><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}
