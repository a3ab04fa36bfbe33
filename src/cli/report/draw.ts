/** Charts of a report as SVG text: columns over time, bars by name. Colours come from the page. Pure. */
import { formatAmount } from '../../contract/index.js';
import { escapeHtml } from './escape.js';
import type { Bar, Chart } from './report.js';

const WIDTH = 920;
const COLUMNS = { left: 70, right: 12, top: 14, height: 260, bottom: 34 };
const BARS = { label: 280, value: 150, row: 30, bar: 16, top: 6 };
const TICKS = 4;
/** With more columns than this only every second, third, … one has a label. */
const LABELS_AT_MOST = 12;

/** `id` is unique on the page; title and description are read to people who do not see the picture. */
export function drawChart(chart: Chart, id: string): string {
  const { title, text, bars, kind } = chart;
  const { height, body } = kind === 'columns' ? columns(chart) : rows(chart);
  const label = `<title id="${id}-title">${escapeHtml(title)}</title><desc id="${id}-desc">${escapeHtml(`${text} ${bars.length} entries; the table below has every figure.`)}</desc>`;
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">${label}${body}</svg>`;
}

interface Drawn {
  readonly height: number;
  readonly body: string;
}

function columns({ bars, unit }: Chart): Drawn {
  const { left, right, top, height, bottom } = COLUMNS;
  const step = niceStep(Math.max(...bars.map(total)), unit);
  const most = step * Math.max(1, Math.ceil(Math.max(...bars.map(total)) / step));
  const yOf = (value: number): number => round(top + height - (height * value) / most);
  const slot = (WIDTH - left - right) / bars.length;
  const grid = Array.from({ length: Math.round(most / step) + 1 }, (_, index) => index * step).map(
    (value) =>
      `<line class="grid" x1="${left}" x2="${WIDTH - right}" y1="${yOf(value)}" y2="${yOf(value)}"/>` +
      `<text class="tick" x="${left - 10}" y="${yOf(value) + 4}" text-anchor="end">${valueText(value, unit)}</text>`,
  );
  const every = Math.ceil(bars.length / LABELS_AT_MOST);
  const drawn = bars.map((bar, index) => {
    const x = round(left + slot * index + slot * 0.14);
    const width = round(Math.min(slot * 0.72, 64));
    const shift = round((slot * 0.72 - width) / 2);
    let below = 0;
    const parts = bar.parts.map(({ tone, value }) => {
      const y = yOf(below + value);
      const tall = round(yOf(below) - y);
      below += value;
      return tall > 0 ? `<rect class="${tone}" x="${x + shift}" y="${y}" width="${width}" height="${tall}"/>` : '';
    });
    const middle = round(left + slot * (index + 0.5));
    const name =
      index % every === 0
        ? `<text class="tick" x="${middle}" y="${top + height + 20}" text-anchor="middle">${escapeHtml(short(bar.label))}</text>`
        : '';
    return `<g>${tip(bar, unit)}${parts.join('')}${name}</g>`;
  });
  return { height: top + height + bottom, body: [...grid, ...drawn].join('') };
}

function rows({ bars, unit }: Chart): Drawn {
  const { label, value: room, row, bar: tall, top } = BARS;
  const most = Math.max(...bars.map(total), 1);
  const drawn = bars.map((bar, index) => {
    const y = top + index * row;
    let x = label;
    const parts = bar.parts.map(({ tone, value }) => {
      const width = round(((WIDTH - label - room) * value) / most);
      const rect =
        value > 0
          ? `<rect class="${tone}" x="${round(x)}" y="${y}" width="${Math.max(width, 1)}" height="${tall}"/>`
          : '';
      x += width;
      return rect;
    });
    return (
      `<g>${tip(bar, unit)}<text class="name" x="${label - 12}" y="${y + 13}" text-anchor="end">${escapeHtml(cut(bar.label))}</text>` +
      `${parts.join('')}<text class="value" x="${round(x) + 8}" y="${y + 13}">${valueText(total(bar), unit)}</text></g>`
    );
  });
  return { height: top + bars.length * row, body: drawn.join('') };
}

function total({ parts }: Bar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

/** The tooltip of a bar. */
function tip({ label, parts }: Bar, unit: Chart['unit']): string {
  const values = parts.filter(({ value }) => value > 0).map((part) => `${part.label} ${valueText(part.value, unit)}`);
  return `<title>${escapeHtml([label, ...values].join(' · '))}</title>`;
}

function valueText(value: number, unit: Chart['unit']): string {
  return unit === 'amount' ? formatAmount(value) : String(value);
}

/** 1, 2 or 5 times a power of ten, so that the axis has about {@link TICKS} steps. Whole for counts. */
function niceStep(most: number, unit: Chart['unit']): number {
  const rough = Math.max(most / TICKS, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? rough;
  return unit === 'count' ? Math.max(1, Math.round(step)) : step;
}

/** `2026-03-10` → `10/03`, `2026-03` → `03/2026`, as São Paulo writes them. */
function short(label: string): string {
  const [year = '', month = '', day] = label.split('-');
  return day === undefined ? `${month}/${year}` : `${day}/${month}`;
}

/** About this many characters fit beside the bars; the table has the whole name. */
function cut(label: string): string {
  return label.length > 36 ? `${label.slice(0, 35)}…` : label;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
