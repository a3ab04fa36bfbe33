/** The lawyer's list of the import bench, in another process: as many full pages as requested, each after the given delay. */
import { caseNumberOf } from '../soak/identifiers.js';
import { startLawyerService, type Collection } from '../soak/lawyer-service.js';

export const PAGE_SIZE = 50;

async function main(): Promise<void> {
  const [, , latencyMs, ...lists] = process.argv;
  const sizes = new Map(lists.map((text) => [text.split('=')[0] ?? '', Number(text.split('=')[1])]));
  const collections = new Map([...sizes].map(([oab, pages]) => [oab, collectionOf(pages)]));
  const service = await startLawyerService((oab) => collections.get(oab), { latencyMs: Number(latencyMs) });
  process.on('message', () => process.send?.({ purchases: Object.fromEntries(service.purchases) }));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ url: service.url });
}

function collectionOf(pages: number): Collection {
  const cases = Array.from({ length: pages * PAGE_SIZE }, (_none, place) => caseNumberOf(1_000_000 + place));
  const phase = { version: '2026-10-01T03:00:00.000Z', partial: false, cases, requests: 1 };
  return { phases: [phase], pageSize: PAGE_SIZE, loops: new Map() };
}

if (require.main === module) void main();
