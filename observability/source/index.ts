/** Grafana dashboards of our metrics (docs/operations.md, "Metrics"). `npm run dashboards` writes observability/dashboards. */
import { buildDashboard } from './dashboard.js';
import { fleet } from './fleet.js';
import { money } from './money.js';
import { service } from './service.js';
import { waiting } from './waiting.js';
import { webhooks } from './webhooks.js';

/** Text of every file, by its name. Pure. */
export function buildDashboards(): ReadonlyMap<string, string> {
  const all = [money, waiting, webhooks, service, fleet];
  return new Map(all.map((definition) => [`${definition.name}.json`, buildDashboard(definition)]));
}
