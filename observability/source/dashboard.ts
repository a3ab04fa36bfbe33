/** Builds a dashboard from its panels, as the JSON that Grafana reads. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  RowBuilder,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';

export interface DashboardDefinition {
  /** Name of its file, and of its address in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Builder<Panel>[]>>;
}

const TAG = 'tramita';

export function buildDashboard({ name, title, rows }: DashboardDefinition): string {
  // Only Grafana 12 and later reads the second form of dashboards.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the form that files of every Grafana in use have
  const builder = new DashboardBuilder(title)
    .uid(`tramita-${name}`)
    .tags([TAG])
    .time({ from: 'now-6h', to: 'now' })
    .refresh('30s')
    .readonly()
    .timezone('browser')
    .link(new DashboardLinkBuilder('tramita').type(DashboardLinkType.Dashboards).tags([TAG]).keepTime(true))
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'));
  for (const [row, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(row));
    for (const panel of panels) builder.withPanel(panel);
  }
  const { links = [], panels = [], ...rest } = builder.build();
  const whole = {
    ...rest,
    // The links appear in the bar itself, not in its menu.
    links: links.map(({ placement: _placement, ...link }) => link),
    panels: panels.map((panel, place) => ({ ...panel, id: place + 1 })),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
