/**
 * Imports of lists that change while they are read: they grow, change their order and version, repeat cases and loop, and
 * webhooks come at any moment. The engine and the database are real; only the waits between purchases are shortened, in this
 * bundle alone. `TRAMITA_IMPORT_COLLECTIONS` sets how many lists, `TRAMITA_IMPORT_SEED` repeats a run.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { resolveConfig, type Config } from '../../src/config/index.js';
import { startImportLawyerCases } from '../../src/starters/index.js';
import { startLawyerService, type Collection, type LawyerService, type Loop } from '../../soak/lawyer-service.js';
import { newCase } from '../support/case-number.js';
import { startOwnWorkers } from './short-waits.js';
import { withFlows } from './with-flows.js';

const COLLECTIONS = Number(process.env['TRAMITA_IMPORT_COLLECTIONS'] ?? 16);
const SEED = Number(process.env['TRAMITA_IMPORT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 24;
const MAX_PAID_CHECKS = 5;
const PAGE_SIZE = 4;
const PRICE = 0.5;

jest.setTimeout(900_000);

/** Changes of a list between two of its versions. */
type Change = 'grow' | 'shrink' | 'reverse' | 'repeat' | 'unnumbered' | 'same';
interface Script {
  readonly first: number;
  readonly phases: readonly { readonly change: Change; readonly partial: boolean; readonly requests: number }[];
  readonly loop: { readonly at: number; readonly to: Loop } | null;
  /** Names of events, in the order in which they come. */
  readonly events: readonly string[];
}

const script: fc.Arbitrary<Script> = fc.record({
  first: fc.integer({ min: 0, max: 14 }),
  phases: fc.array(
    fc.record({
      change: fc.constantFrom<Change>('grow', 'shrink', 'reverse', 'repeat', 'unnumbered', 'same'),
      partial: fc.boolean(),
      requests: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 4 },
  ),
  loop: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 6 }), to: fc.constantFrom<Loop>('self', 'first', 'second') }),
  ),
  events: fc.array(fc.constantFrom('resultado_busca_oab_async', 'nova_movimentacao', 'novo_processo'), {
    maxLength: 8,
  }),
});

/** The script with case numbers; the last phase is complete and stays. */
function collectionOf({ first, phases, loop }: Script, n: number): Collection {
  let cases = Array.from({ length: first }, newCase);
  const played = [...phases, { change: 'grow' as const, partial: false, requests: 1 }].map((phase, place) => {
    if (place > 0) cases = changed(cases, phase.change);
    return { ...phase, partial: phase.partial && place < phases.length, cases, version: `v${place}-of-${n}` };
  });
  return { phases: played, pageSize: PAGE_SIZE, loops: new Map(loop === null ? [] : [[loop.at, loop.to]]) };
}

function changed(cases: string[], change: Change): string[] {
  switch (change) {
    case 'grow':
      return [newCase(), ...cases, newCase(), newCase()];
    case 'shrink':
      return cases.slice(1);
    case 'reverse':
      return [...cases].reverse();
    case 'repeat':
      return [...cases, ...cases.slice(0, 1), newCase()];
    case 'unnumbered':
      return [`without number ${cases.length}`, ...cases];
    case 'same':
      return cases;
  }
}

describe('importLawyerCases of lists that change during the read', () => {
  const flows = withFlows({ worker: false, account: { requestsPerMinute: 60_000, concurrency: 20 } });
  const collections = new Map<string, Collection>();
  let service: LawyerService;
  let config: Config;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    service = await startLawyerService((oab) => collections.get(oab));
    config = resolveConfig({ env: { ...flows.env, TRAMITA_API_URL: service.url } });
    // Minutes of waiting between two purchases become fractions of a second; every rule stays.
    stop = await startOwnWorkers(flows, config, { './decide-recheck.js': 'short-rechecks.ts' });
  });

  afterAll(async () => {
    await stop();
    await service.close();
  });

  it(`imports one complete version and buys page 1 no more often than allowed (${COLLECTIONS} lists, seed ${SEED})`, async () => {
    const scripts = fc.sample(script, { numRuns: COLLECTIONS, seed: SEED });
    scripts.forEach((each, n) => collections.set(`SP:${500_000 + n}`, collectionOf(each, n)));
    const reader = readContinuously();
    const waiting = scripts.map((each, n) => ({ n, oab: `SP:${500_000 + n}`, ...each }));
    const problems: string[] = [];
    const kinds = { endedEarlier: 0, restarted: 0, rechecked: 0, resumed: 0 };
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { oab, events } = next;
        const collection = collections.get(oab);
        const end = await runImport(oab, events);
        kinds.restarted += end.restarts > 0 ? 1 : 0;
        kinds.rechecked += end.paidChecks > 1 + end.restarts ? 1 : 0;
        kinds.resumed += end.resumes > 0 ? 1 : 0;
        const bought = service.purchases.get(oab) ?? 0;
        const read = collection?.phases.find(({ version }) => version === end.version);
        const report = (text: string): void => void problems.push(`${oab}: ${text}`);
        if (read === undefined || read.partial) report(`imported version ${String(end.version)}, which is not whole`);
        if (end.version !== collection?.phases.at(-1)?.version) kinds.endedEarlier += 1;
        if ((await visibleOf(oab)).join() !== setOf(read?.cases ?? []).join())
          report('what is visible is not that version');
        if (end.cases !== setOf(read?.cases ?? []).length) report(`said ${end.cases} cases`);
        if (bought !== end.paidChecks) report(`bought page 1 ${bought} times, said ${end.paidChecks}`);
        if (bought > end.allowed) report(`bought page 1 ${bought} times, ${end.allowed} were allowed`);
        if (Number(end.spent.known) !== bought * PRICE || end.spent.unknown !== 0) report(`spent ${end.spent.known}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    problems.push(...(await reader.stop()));
    process.stderr.write(
      `imports: ${COLLECTIONS} lists, seed ${SEED}, ${JSON.stringify({ ...kinds, looks: reader.looks() })}\n`,
    );
    expect(problems).toEqual([]);
  });

  it('detects a loop behind page 1 when its first page comes again', async () => {
    const oab = 'SP:400001';
    const cases = Array.from({ length: 5 * PAGE_SIZE }, newCase);
    // Page 3 links to page 2 whenever it is read: in the third request, the fifth, the seventh …
    const loops = new Map(Array.from({ length: 100 }, (_none, n) => [3 + 2 * n, 'second'] as const));
    collections.set(oab, {
      phases: [{ version: 'v1', partial: false, cases, requests: 1 }],
      pageSize: PAGE_SIZE,
      loops,
    });
    const handle = await start(oab, 1);
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled', counts: { paidChecks: 1 } });
    expect(service.requests.get(oab)).toBe(4);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  const start = (oab: string, maxPaidChecks: number) =>
    startImportLawyerCases(flows.deps, { oab, pageSize: PAGE_SIZE, maxPaidChecks });

  /** Starts the import, sends it events, and resumes it as a person whenever it parks. */
  async function runImport(oab: string, events: readonly string[]) {
    const handle = await start(oab, MAX_PAID_CHECKS);
    const run = flows.client.workflow.getHandle(handle.workflowId);
    const over = new AbortController();
    let resumes = 0;
    let allowed = MAX_PAID_CHECKS;
    const result = handle.result().finally(() => over.abort());
    result.catch(() => undefined);
    const left = [...events];
    while (!over.signal.aborted) {
      await Promise.race([result.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 60))]);
      const event = left.shift();
      if (event !== undefined) await run.signal('wake', { event }).catch(() => undefined);
      const progress = await flows.progress(handle.workflowId).catch(() => undefined);
      if (progress?.state !== 'parked') continue;
      // A parked import buys nothing, and a person allows at most one more purchase.
      const granted = (service.purchases.get(oab) ?? 0) + 1;
      const resumed = await run.executeUpdate('resume', { args: [{ by: 'ana' }] }).then(
        () => true,
        () => false,
      );
      if (!resumed) continue;
      resumes += 1;
      allowed = Math.max(allowed, granted);
    }
    return { ...(await result), resumes, allowed };
  }

  async function visibleOf(oab: string): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly cnj: string }>`
      select coalesce(cnj, data ->> 'poloAtivo') as cnj
      from tramita.lawyer_case_feed where oab = ${oab} and not provisional`.execute(flows.database.db);
    return rows.map(({ cnj }) => cnj).sort();
  }

  /** A consumer that reads all rows again and again: each list is one complete version, or provisional rows that were listed. */
  function readContinuously() {
    const problems = new Set<string>();
    let on = true;
    let looks = 0;
    const look = async (): Promise<void> => {
      const { rows } = await sql<{
        readonly oab: string;
        readonly provisional: boolean;
        readonly version: string | null;
        readonly cases: readonly string[];
      }>`
        select oab, provisional, version, array_agg(coalesce(cnj, data ->> 'poloAtivo')) as cases
        from tramita.lawyer_case_feed group by oab, provisional, version`.execute(flows.database.db);
      looks += 1;
      for (const { oab, provisional, version, cases } of rows) {
        const phases = collections.get(oab)?.phases ?? [];
        if (provisional) {
          const listed = new Set(phases.filter(({ partial }) => partial).flatMap((phase) => phase.cases));
          if (!cases.every((cnj) => listed.has(cnj))) problems.add(`${oab}: provisional rows that were never listed`);
        } else {
          const phase = phases.find((each) => each.version === version);
          if ([...cases].sort().join() !== setOf(phase?.cases ?? []).join())
            problems.add(`${oab}: a reader saw a mix at ${String(version)}`);
        }
      }
    };
    const looking = (async () => {
      while (on) {
        await look();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    return {
      looks: () => looks,
      stop: async () => {
        on = false;
        await looking;
        return [...problems];
      },
    };
  }
});

function setOf(cases: readonly string[]): readonly string[] {
  return [...new Set(cases)].sort();
}
