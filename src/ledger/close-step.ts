/**
 * Closes the step of an activity that did not come back. An open row becomes `unknown` once its call must be over. If there is no
 * row and nothing was sent, a `closed` row is written, so that an attempt that froze before writing its intent finds it and sends
 * nothing. If the ledger may have lost the row, an `unknown` one is written.
 */
import { randomUUID } from 'node:crypto';
import type { Amount } from '../contract/index.js';
import { withLocks, type Database } from '../store/index.js';
import { decideMissingRow } from './decide-missing-row.js';
import { insertIntent } from './insert-intent.js';
import { readKept, rowsOfRun } from './intent-row.js';
import type { JournalEntry } from './journal/journal-entry.js';
import { decideLife } from './life/decide-life.js';
import type { LifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import { buildLost, toLostCall } from './restore-row.js';
import { stepLock, subjectLock } from './lock-names.js';
import { buildShut } from './new-intent.js';
import type { ClosedStep, LostAttempt } from './lost-attempt.js';
import type { LedgerContext } from './settings.js';
import { MAY_BE_PAID, becomeUnknown } from './states.js';
import { subjectAndPrice } from './subject.js';
import { buildChange } from './write-change.js';

/** The attempt, with the subject and price that the ledger derives. */
interface Closing extends LostAttempt {
  readonly subject: string;
  readonly reserved: Amount;
  readonly nowMs: number;
}

export function closeStep(context: LedgerContext, attempt: LostAttempt): Promise<ClosedStep> {
  const nowMs = context.clock();
  const step: Closing = { ...attempt, ...subjectAndPrice(context, attempt), nowMs };
  return withLocks(context.db, [stepLock(step), subjectLock(step), ...step.waiterKeys], async (trx) => {
    const row = await trx
      .selectFrom(rowsOfRun(step))
      .selectAll()
      .where('step', '=', step.step)
      // A row of an earlier ordinal that was or may have been paid stands for the step (decide-opening.ts).
      .where((eb) =>
        eb.or([
          eb('ordinal', '=', step.ordinal),
          eb.and([eb('ordinal', '<', step.ordinal), eb('state', 'in', [...MAY_BE_PAID])]),
        ]),
      )
      .orderBy('ordinal', 'desc')
      .executeTakeFirst();
    if (row === undefined) return writeMissing(trx, context.memory, step);
    const before = readKept(row);
    const over = nowMs >= before.intent.openedAtMs + step.deadlineMs;
    if (before.intent.state !== 'open' || !over) return { kind: 'row', intent: before.intent };
    const after = becomeUnknown(before.intent, 'the activity did not return');
    await buildChange({ before, after, askedBy: after.workflowId, nowMs }).execute(trx);
    return { kind: 'row', intent: after };
  });
}

async function writeMissing(trx: Database, memory: LifeMemory, step: Closing): Promise<ClosedStep> {
  const { nowMs, known, askedAtMs, isOverdue } = step;
  const life = await readLife(trx, memory.witness());
  const meaning = decideMissingRow({
    isKnown: known !== undefined,
    isCopy: known?.isCopy === true,
    askedAtMs,
    isOverdue,
    begunAtMs: life.begunAtMs,
    isHeld: decideLife(life, memory.epoch()).kind !== 'same',
  });
  if (meaning === 'wait') return { kind: 'held' };
  const intentId = known?.intentId ?? randomUUID();
  const row =
    meaning === 'not_sent'
      ? buildShut(step, { intentId, subject: step.subject, nowMs })
      : buildLost({ call: lostCall(step, intentId), witness: 'flow' }, nowMs);
  await insertIntent(trx, { row, nowMs });
  return { kind: 'row', intent: row.intent };
}

function lostCall(step: Closing, intentId: string): JournalEntry {
  const { subject, reserved, known, askedAtMs, nowMs } = step;
  return {
    ...toLostCall({ ...step, intentId, openedAtMs: known?.openedAtMs ?? askedAtMs ?? nowMs }),
    subject,
    reserved,
  };
}
