/**
 * Proof that the auditor can fail: the code is broken on purpose, one rule at a time, and each time the auditor has to find it.
 * Without a defect it finds nothing in the same calls with the same faults.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowBundle } from '@temporalio/worker';
import { withFlows } from '../flows/with-flows.js';
import { DEFECTS, HARMLESS, withSend, type Defect } from './defects/defects.js';
import { bundleWithInterceptor, onStage, type Stage } from './defects/defective-worker.js';

const OPERATION = 'getCase';
const CALLS = 2;
/** More calls where a connection has to be used again: an idle connection is closed after four seconds. */
const CALLS_IN_TURN = 4;
const ENDS_WITHIN_MS = 90_000;

describe('the auditor', () => {
  const flows = withFlows({ worker: false });
  let bundle: WorkflowBundle;
  beforeAll(async () => {
    bundle = await bundleWithInterceptor();
  });

  const play = async (
    stage: Stage,
    { fault, twins, inTurn }: Pick<Defect, 'fault' | 'twins' | 'inTurn'>,
  ): Promise<void> => {
    const { service } = stage;
    const count = inTurn === true ? CALLS_IN_TURN : CALLS;
    const asks = await stage.asks.make({ service, operation: OPERATION, count });
    if (fault !== undefined) await service.arm({ times: CALLS, ...fault, operation: OPERATION });
    for (const ask of asks) {
      await Promise.all([stage.start(ask), ...(twins === true ? [stage.start(ask)] : [])]);
      if (inTurn === true) await stage.flows.ended(stage.flows.all(), ENDS_WITHIN_MS);
    }
  };
  const kindsOf = async (defect: Defect, what: Defect = defect): Promise<readonly string[]> =>
    onStage({ flows, bundle }, defect, async (stage) => {
      await play(stage, what);
      const { findings } = await stage.audited();
      return [...new Set(findings.map(({ kind }) => kind))];
    });

  it.each(DEFECTS.map((defect) => [defect.what, defect] as const))('catches: %s', async (_what, defect) => {
    const kinds = await kindsOf(defect);
    expect(kinds).toEqual(expect.arrayContaining([...defect.kinds]));
  });

  it.each(
    [...new Map(DEFECTS.map((defect) => [JSON.stringify([defect.fault, defect.twins]), defect])).values()].map(
      (defect) => [JSON.stringify(defect.fault ?? 'no fault'), defect] as const,
    ),
  )('finds nothing without a defect, with the fault %s', async (_fault, { fault, twins, inTurn }) => {
    const honest = { what: '', kinds: [], fault, ...(twins && { twins }), ...(inTurn && { inTurn }) };
    expect(await kindsOf(honest)).toEqual([]);
  });

  it('finds nothing when a call has two attempts, because the ledger stops the second', async () => {
    expect(await kindsOf(HARMLESS)).toEqual([]);
  });

  describe('of a process that froze before the write and thawed after the decision', () => {
    /** The call freezes just before its write until `thaw`. Meanwhile the clock goes on by a minute. */
    const kindsAfterThaw = async (fence: boolean): Promise<readonly string[]> => {
      let thaw = (): void => undefined;
      const thawed = new Promise<void>((resolve) => (thaw = resolve));
      let frozen = 0;
      let aheadMs = 0;
      const freeze = withSend((send) => async (request, { beforeWrite, ...options }) => {
        frozen += 1;
        if (frozen === 1) {
          await thawed;
          aheadMs = 60_000;
        }
        const exchange = await send(
          request,
          fence && beforeWrite !== undefined ? { ...options, beforeWrite } : options,
        );
        aheadMs = 0;
        return exchange;
      });
      const defect: Pick<Defect, 'deps' | 'options'> = {
        // Longer than a stall may delay the calls that are not frozen.
        options: { startToCloseMs: 5_000 },
        deps: (deps) =>
          freeze({
            ...deps,
            clock: { ...deps.clock, nowMs: () => Date.now() + aheadMs },
            ledger: { ...deps.ledger, closeStep: (step) => deps.ledger.closeStep({ ...step, deadlineMs: 0 }) },
          }),
      };
      return onStage({ flows, bundle }, defect, async (stage) => {
        const [ask] = await stage.asks.make({ service: stage.service, operation: OPERATION, count: 1 });
        await stage.start(ask!);
        await stage.flows.ended(stage.flows.all(), ENDS_WITHIN_MS);
        const sent = (await stage.service.requests()).length;
        thaw();
        if (!fence) {
          while ((await stage.service.requests()).length === sent) await sleep(20);
        }
        await sleep(300);
        const { findings } = await stage.audited();
        return [...new Set(findings.map(({ kind }) => kind))];
      });
    };

    it('finds nothing, because the age fence lets nothing be sent', async () => {
      expect(await kindsAfterThaw(true)).toEqual([]);
    });

    it('catches: the age fence is removed', async () => {
      expect(await kindsAfterThaw(false)).toEqual(expect.arrayContaining(['paid twice', 'denied charge']));
    });
  });
});
