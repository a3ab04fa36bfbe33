/**
 * Shuts the door behind an activity that did not come back. An open row whose call must be over by now becomes `unknown`;
 * where no row is, a closed one is written, so that an attempt which was frozen before its intent finds it and sends
 * nothing.
 */
import { randomUUID } from 'node:crypto';
import type { StepKey } from '../protocol/index.js';
import { withLocks, type Database } from '../store/index.js';
import { insertIntent } from './insert-intent.js';
import { readKept } from './intent-row.js';
import { stepLock, subjectLock } from './lock-names.js';
import { MAY_BE_PAID } from './look-up.js';
import { buildShut } from './new-intent.js';
import type { Intent } from './types.js';
import { writeChange } from './write-change.js';

export interface CloseStep extends StepKey {
  readonly account: string;
  readonly operation: string;
  readonly subject: string;
  readonly deadlineMs: number;
  readonly nowMs: number;
}

export function closeStep(db: Database, step: CloseStep): Promise<Intent> {
  const { nowMs } = step;
  return withLocks(db, [stepLock(step), subjectLock(step)], async (trx) => {
    const row = await trx
      .selectFrom('tramita.intent')
      .selectAll()
      .where('workflow_id', '=', step.workflowId)
      .where('first_run_id', '=', step.firstRunId)
      .where('step', '=', step.step)
      // What an earlier ordinal has paid, or may have, is what this step is about (decide-opening.ts).
      .where((eb) =>
        eb.or([
          eb('ordinal', '=', step.ordinal),
          eb.and([eb('ordinal', '<', step.ordinal), eb('state', 'in', [...MAY_BE_PAID])]),
        ]),
      )
      .orderBy('ordinal', 'desc')
      .executeTakeFirst();
    if (row === undefined) {
      const shut = buildShut(step, { intentId: randomUUID(), subject: step.subject, nowMs });
      await insertIntent(trx, { row: shut, nowMs, eventsSinceMs: nowMs });
      return shut.intent;
    }
    const before = readKept(row);
    const over = nowMs >= before.intent.openedAtMs + step.deadlineMs;
    if (before.intent.state !== 'open' || !over) return before.intent;
    const after = becomeUnknown(before.intent, 'the activity did not come back');
    await writeChange(trx, { before, after, balanceTold: false, askedBy: after.workflowId, nowMs });
    return after;
  });
}

/** Nobody can tell any more: stays reserved until evidence or a person decides. Pure. */
export function becomeUnknown(intent: Intent, reason: string): Intent {
  return { ...intent, state: 'unknown', reason: intent.reason ?? reason };
}
