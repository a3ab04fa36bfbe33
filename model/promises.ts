/** What must always hold. Each promise checks one move and describes what it broke. */
import { rowAt, callOfRequest } from './rows.js';
import { CALLS, callOf, callTitle, flowOf, isPaid, mayBePaid, type CallState, type State } from './words.js';

export function brokenBy(before: State, after: State): string | undefined {
  for (let call = 0; call < CALLS; call += 1) {
    const broken =
      paidTwice(before, after, call) ??
      sentTwice(before, after, call) ??
      movedBack(before, after, call) ??
      adoptedNothing(before, after, call);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/**
 * At most one charge per step, and one for both flows while they can share the answer. A charge does not count after a
 * person's wrong `not-charged`, or when neither row nor journal knew its call (`unwitnessed`).
 */
function paidTwice(before: State, after: State, call: number): string | undefined {
  const [was, is] = [before.calls[call], after.calls[call]];
  if (was === undefined || is === undefined || isPaid(was) || !isPaid(is)) return undefined;
  if (is.excused || is.unwitnessed) return undefined;
  for (let other = 0; other < CALLS; other += 1) {
    const paid = after.calls[other];
    if (other === call || paid === undefined || !isPaid(paid) || paid.excused || paid.unwitnessed) continue;
    if (flowOf(other) === flowOf(call))
      return `the same step was charged twice: ${callTitle(other)} and ${callTitle(call)}`;
    if (isShareable(paid) && isShareable(is))
      return `equal calls were charged twice: ${callTitle(other)} and ${callTitle(call)}`;
  }
  return undefined;
}

/** Its answer is still available, and was bought after the other flow had started. */
function isShareable({ over, stale }: CallState): boolean {
  return !over && !stale;
}

/** At most one request per ordinal. */
function sentTwice(before: State, after: State, call: number): string | undefined {
  const sends = after.bodies.some((body, place) => {
    const was = before.bodies[place];
    return (
      body?.step === 'sent' &&
      was?.token === body.token &&
      was.step !== 'sent' &&
      callOf(flowOf(call), body.ordinal) === call &&
      Math.floor(place / 2) === flowOf(call)
    );
  });
  const was = before.calls[call];
  if (!sends || was === undefined || was.excused || was.unwitnessed) return undefined;
  return mayBePaid(was) ? `${callTitle(call)} was sent twice` : undefined;
}

/** Nothing that arrives late changes a decided row. */
function movedBack(before: State, after: State, call: number): string | undefined {
  const [was, is] = [rowAt(before, call)?.intent, rowAt(after, call)?.intent];
  if (before.firstLife !== after.firstLife || was === undefined || is?.intentId !== was.intentId) return undefined;
  // A copy changes with its original.
  if (was.joined !== null) return undefined;
  return was.state === 'closed' && is.state !== 'closed'
    ? `the decided row of ${callTitle(call)} became ${is.state}`
    : undefined;
}

/** Evidence adopts only work that the service has accepted. */
function adoptedNothing(before: State, after: State, call: number): string | undefined {
  const [was, is] = [rowAt(before, call)?.intent, rowAt(after, call)?.intent];
  if (
    is?.state !== 'pending' ||
    was?.state === 'pending' ||
    is.joined !== null ||
    is.evidence?.['adopted'] === undefined
  )
    return undefined;
  const work = after.calls[is.requestId === null ? call : callOfRequest(is.requestId)];
  return work !== undefined && isPaid(work)
    ? undefined
    : `the row of ${callTitle(call)} was adopted, and nothing was accepted`;
}
