/** What a search reads from a worker's own disk: kept answers may be 10 GB, so no more than one text is held. */
import { openOwnDisk } from '../../src/privacy/own-disk.js';
import type { Journal, Spool } from '../../src/ledger/index.js';

it('passes each text on before it reads the next one', async () => {
  const steps: string[] = [];
  const rewrite = async (texts: readonly string[], change: (text: never) => unknown): Promise<number> => {
    for (const text of texts) {
      steps.push(`read ${text}`);
      change(text as never);
      await Promise.resolve();
    }
    return 0;
  };
  const spool = { rewrite: (change) => rewrite(['answer 1', 'answer 2'], change) } as Spool;
  const journal = { rewrite: (change) => rewrite(['line 1', 'line 2'], change) } as Journal;

  await openOwnDisk('/nowhere', { spool, journal }).readTexts((text) => void steps.push(`learned ${text}`));

  expect(steps).toEqual(
    ['answer 1', 'answer 2', 'line 1', 'line 2'].flatMap((text) => [`read ${text}`, `learned ${text}`]),
  );
});
