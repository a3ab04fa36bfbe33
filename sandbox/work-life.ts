/** What accepted work does by itself: it ends at its time, is debited then if `debitAt` is completion, and sends its event. */
import { operationOf, ZERO_AMOUNT } from '../src/contract/index.js';
import type { Answer, Paid } from './answer.js';
import { sha256Hex } from './derive.js';
import { HANDLERS } from './operations/handlers.js';
import { viewOf, type ViewSource } from './operations/view.js';
import { buildFinalAnswer, isQuery } from './operations/work-final.js';
import type { ChargeFacts } from './state/charge-book.js';
import type { FinalLine } from './state/restore.js';
import type { Work } from './state/works.js';
import { completionEvent } from './webhooks/build-event.js';
import type { WebhookSender } from './webhooks/webhook-sender.js';

export interface WorkLife {
  /** Returns a promise when the work ends before its 202: it resolves after the first attempts to deliver its event. */
  readonly run: (work: Work) => Promise<void> | undefined;
  /** Continues work from before a restart. */
  readonly resume: (work: Work) => void;
}

export function createWorkLife(source: ViewSource & { readonly webhooks: WebhookSender }): WorkLife {
  const { settings, startedAtMs, clock, book, works, webhooks } = source;

  /** Answers a pending query whose answer was not decided with its 202, and debits it if it costs anything. */
  const answerQuery = (work: Work): void => {
    const call = { ...work, operation: operationOf(work.operation) };
    const verdict = HANDLERS[work.operation](viewOf(source, call));
    const refusal = verdict.kind === 'refused' || verdict.kind === 'reproduced';
    const price = verdict.kind === 'answered' && verdict.price > 0 ? work.price : ZERO_AMOUNT;
    const paid = book.quote(work.account, price);
    const final = refusal ? verdict.answer : verdict.answer(paid);
    if (price > 0) book.charge(completionFacts(work, paid, final), [finalLine(work, final)]);
    works.keepFinal(work.requestId, final);
  };
  const debitAtCompletion = (work: Work): void => {
    const paid = book.quote(work.account, work.price);
    const final = buildFinalAnswer(work, settings.dialect, paid);
    book.charge(completionFacts(work, paid, final));
  };
  const finish = (work: Work): void => {
    if (isQuery(work)) {
      if (works.finalOf(work.requestId) === undefined) answerQuery(work);
    } else if (work.debitAt === 'completion' && book.paidFor(work.requestId) === undefined) debitAtCompletion(work);
    works.markFinished(work);
  };

  /** Resolves when every first delivery attempt is over. */
  const announce = async (work: Work): Promise<void> => {
    if (!work.flags.callback || work.webhook === 'lost') return;
    const event = completionEvent(work);
    await webhooks.announce(event);
    if (work.webhook === 'twice') await webhooks.announce(event);
  };

  const run = (work: Work): Promise<void> | undefined => {
    works.add(work);
    const { finishesAtMs } = work;
    if (finishesAtMs === null) return undefined;
    if (work.webhook === 'early') {
      finish(work);
      return announce(work);
    }
    clock.at(finishesAtMs, () => {
      finish(work);
      return work.flags.callback ? announce(work) : undefined;
    });
    return undefined;
  };

  return {
    run,
    resume(work) {
      // It ended before the restart: its webhook was up to the earlier process.
      if (work.finishesAtMs !== null && work.finishesAtMs <= startedAtMs) {
        works.add(work);
        finish(work);
      } else void run(work);
    },
  };
}

function completionFacts(work: Work, paid: Paid, final: Answer | undefined): ChargeFacts {
  const { operation, account, keyHash, cnj, requestId } = work;
  const bodySha256 = final === undefined ? null : sha256Hex(final.body);
  return {
    operation,
    account,
    keyHash,
    cnj,
    requestId,
    paid,
    bodySha256,
    about: requestId,
    reason: 'completion',
    connection: null,
  };
}

export function finalLine(work: Work, { status, headers, body }: Answer): FinalLine {
  return { kind: 'final', requestId: work.requestId, status, headers, bodyBase64: body.toString('base64') };
}
