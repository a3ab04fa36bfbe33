/** Counts what is held, by place. */
import { held, type Sought } from '../../privacy/index.js';
import type { Counted } from './report.js';
import type { Stores } from './with-holdings.js';

export async function countHeld(stores: Stores, sought: Sought): Promise<Counted> {
  const places: Record<string, number> = {};
  const [workflowIds, schedules]: [string[], string[]] = [[], []];
  for await (const { place, key, value } of held(stores, sought)) {
    places[place] = (places[place] ?? 0) + 1;
    const [name = ''] = key;
    if (place === 'flows' && value['isRunning'] === true) workflowIds.push(name);
    if (place === 'schedules') schedules.push(name);
  }
  const total = Object.values(places).reduce((sum, count) => sum + count, 0);
  return { total, places, workflowIds, schedules };
}
