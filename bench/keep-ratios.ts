/**
 * The history of the ratios that `npm run bench` prints: one line each in `docs/images/ratios.jsonl`, drawn as
 * `docs/images/ratios.svg`, which docs/measurements.md shows. Stored only with `BENCH_KEEP=1`: figures of different
 * machines cannot be compared.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const IMAGES = join(__dirname, '..', '..', 'docs', 'images');
const DATA = join(IMAGES, 'ratios.jsonl');

interface Kept {
  readonly day: string;
  readonly commit: string;
  readonly cores: number;
  readonly node: string;
  readonly name: string;
  readonly ratio: number;
}

export function keepRatios(ratios: Readonly<Record<string, number>>): void {
  if (process.env['BENCH_KEEP'] !== '1') return;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const run = {
    day: new Date().toISOString().slice(0, 10),
    commit,
    cores: availableParallelism(),
    node: process.version,
  };
  for (const [name, ratio] of Object.entries(ratios)) {
    appendFileSync(DATA, `${JSON.stringify({ ...run, name, ratio: Math.round(ratio * 1_000) / 1_000 })}\n`);
  }
  const lines = readFileSync(DATA, 'utf8').trim().split('\n');
  writeFileSync(join(IMAGES, 'ratios.svg'), drawRatios(lines.map((line) => JSON.parse(line) as Kept)));
}

const WIDTH = 760;
const ROW = 96;
const LEFT = 60;
const RIGHT = 90;
const HIGH = 52;

/** A row for each ratio, oldest run at the left. The thin line is 1: equal to the baseline. */
function drawRatios(kept: readonly Kept[]): string {
  const names = [...new Set(kept.map(({ name }) => name))];
  const rows = names.map((name, at) =>
    drawRow(
      kept.filter((one) => one.name === name),
      name,
      20 + at * ROW,
    ),
  );
  const height = 24 + names.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" role="img">
<title>Ratios of the benches, by run</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${rows.join('\n')}
</svg>
`;
}

function drawRow(runs: readonly Kept[], name: string, top: number): string {
  const most = Math.max(1.2, ...runs.map(({ ratio }) => ratio * 1.1));
  const x = (at: number): number => Math.round(LEFT + (at * (WIDTH - LEFT - RIGHT)) / Math.max(1, runs.length - 1));
  const y = (ratio: number): number => Math.round(top + 8 + HIGH * (1 - ratio / most));
  const points = runs.map(({ ratio }, at) => `${x(at)},${y(ratio)}`);
  const dots = runs.map(
    ({ ratio, day, commit }, at) =>
      `<circle cx="${x(at)}" cy="${y(ratio)}" r="4" fill="#1a5fb4"><title>${ratio} on ${day}, ${commit}</title></circle>`,
  );
  const [first, last] = [runs[0], runs.at(-1)];
  return `<g fill="#222"><text x="${LEFT}" y="${top}">${escape(name)}</text>
<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4 3"/><text x="${LEFT - 24}" y="${y(1) + 4}">1</text>
<polyline points="${points.join(' ')}" fill="none" stroke="#1a5fb4" stroke-width="2"/>
${dots.join('')}
<text x="${x(runs.length - 1) + 10}" y="${y(last?.ratio ?? 0) + 5}" font-weight="bold">${last?.ratio ?? ''}</text>
<text x="${LEFT}" y="${top + HIGH + 24}" font-size="11" fill="#555">${first?.day ?? ''} (${first?.commit ?? ''}) to ${last?.day ?? ''} (${last?.commit ?? ''})</text></g>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
