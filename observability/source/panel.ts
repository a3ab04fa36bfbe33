/** Panels with one common look, so that a dashboard only says what it shows. */
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
  TooltipDisplayMode,
  type DataSourceRef,
} from '@grafana/grafana-foundation-sdk/common';
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import { ThresholdsConfigBuilder, ThresholdsMode, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

/** Grafana defines the names of variables and units. */
const SOURCE: DataSourceRef = { type: 'prometheus', uid: '${datasource}' };
/** Widths; Grafana's grid has 24 columns. */
const COLUMNS = { number: 6, lines: 12 };
const ROWS = { number: 4, lines: 8 };

/** Query → legend of its series; labels in `{{ }}`. */
type Queries = Readonly<Record<string, string>>;

interface PanelText {
  readonly title: string;
  /** Explains to people what a high value means. */
  readonly description: string;
  /** One of Grafana's units; absent: a count. */
  readonly unit?: string;
  readonly queries: Queries;
}

/** The last value; red from `red` on, yellow from `yellow` on. */
export function numberPanel(
  panel: PanelText & { readonly red?: number; readonly yellow?: number; readonly decimals?: number },
): Builder<Panel> {
  const { red, yellow } = panel;
  const steps = [
    { value: null, color: red === undefined && yellow === undefined ? 'text' : 'green' },
    ...(yellow === undefined ? [] : [{ value: yellow, color: 'yellow' }]),
    ...(red === undefined ? [] : [{ value: red, color: 'red' }]),
  ];
  const builder = new StatBuilder()
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.Area)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .span(COLUMNS.number)
    .height(ROWS.number);
  if (panel.decimals !== undefined) builder.decimals(panel.decimals);
  return withQueries(builder, panel);
}

/** Lines over time; `stacked` when the sum has a meaning. */
export function linesPanel(panel: PanelText & { readonly stacked?: boolean }): Builder<Panel> {
  const builder = new TimeseriesBuilder()
    .drawStyle(GraphDrawStyle.Line)
    .lineWidth(2)
    .fillOpacity(panel.stacked === true ? 40 : 8)
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .span(COLUMNS.lines)
    .height(ROWS.lines);
  if (panel.stacked === true) builder.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  return withQueries(builder, panel);
}

function withQueries<B extends StatBuilder | TimeseriesBuilder>(builder: B, panel: PanelText): B {
  const { title, description, unit = 'short', queries } = panel;
  builder.title(title).description(description).unit(unit).datasource(SOURCE);
  for (const [place, [expr, legend]] of Object.entries(queries).entries()) {
    const refId = String.fromCharCode('A'.charCodeAt(0) + place);
    builder.withTarget(new DataqueryBuilder().refId(refId).expr(expr).legendFormat(legend).range().datasource(SOURCE));
  }
  return builder;
}

/** Percentile of a histogram, by labels. */
export function percentile(quantile: number, histogram: string, by: readonly string[] = []): string {
  return `histogram_quantile(${quantile}, sum by (${['le', ...by].join(', ')}) (rate(${histogram}_bucket[$__rate_interval])))`;
}

/** Increase of a counter per second, by labels, summed over all processes. */
export function perSecond(counter: string, by: readonly string[] = []): string {
  return `sum${by.length === 0 ? '' : ` by (${by.join(', ')})`} (rate(${counter}[$__rate_interval]))`;
}

/** A gauge of the whole installation: every worker reports the same value. */
export function ofAll(gauge: string, by: readonly string[] = []): string {
  return `max${by.length === 0 ? '' : ` by (${by.join(', ')})`} (${gauge})`;
}
