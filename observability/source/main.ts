/** Writes the dashboards (`npm run dashboards`). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboards } from './index.js';

/** The folder of this compiled file is dist/observability/source. */
const FOLDER = join(__dirname, '..', '..', '..', 'observability', 'dashboards');

for (const [name, text] of buildDashboards()) writeFileSync(join(FOLDER, name), text);
