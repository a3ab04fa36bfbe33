/** Which charge a person's decision is about, and why an update is not accepted where the flow waits now. Pure. */
import { shownName } from '../../contract/values/index.js';
import { UPDATE_RESUME, UPDATE_SETTLE_CHARGE, type CallFacts, type SettleChargeInput } from '../../protocol/index.js';
import type { ParkingPlace } from './parking-place.js';

type DecisionTarget =
  /** The charge that the flow is parked on. */
  | { readonly about: 'place' }
  /** The pending call of the step, which was adopted on evidence or by a person's word. */
  | { readonly about: 'adopted'; readonly call: CallFacts }
  | { readonly about: 'nothing'; readonly problem: string };

/** `place`: where the flow is parked. `adopted`: the adopted call of the step that the decision names. */
export function decisionTarget(
  input: SettleChargeInput,
  { place, adopted }: { readonly place: ParkingPlace | undefined; readonly adopted: CallFacts | undefined },
): DecisionTarget {
  const problem =
    updateProblem(place, UPDATE_SETTLE_CHARGE) ?? stepProblem(place, input) ?? intentProblem(place?.intentId, input);
  if (problem === undefined) return { about: 'place' };
  if (adopted === undefined) return { about: 'nothing', problem };
  const otherCharge = intentProblem(adopted.intentId, input);
  return otherCharge === undefined ? { about: 'adopted', call: adopted } : { about: 'nothing', problem: otherCharge };
}

export function updateProblem(place: ParkingPlace | undefined, update: 'settleCharge' | 'resume'): string | undefined {
  if (place === undefined) return `nothing is parked: ${update} is accepted only while the flow waits for a person`;
  if (place.accepts.includes(update)) return undefined;
  const other = update === UPDATE_RESUME ? 'settleCharge (`tramita settle`)' : 'resume (`tramita resume`)';
  return `${update} is not what "${place.attention}" waits for: send ${other}`;
}

function stepProblem(place: ParkingPlace | undefined, { step }: SettleChargeInput): string | undefined {
  const parkedStep = place?.note.step ?? '';
  return parkedStep === step
    ? undefined
    : `step "${shownName(step)}" is not parked; the parked step is "${parkedStep}"`;
}

/** A step may be sent several times: a late or repeated decision must not settle a later charge. */
function intentProblem(parkedOn: string | undefined, { step, intentId }: SettleChargeInput): string | undefined {
  if (intentId === undefined || intentId === parkedOn) return undefined;
  return `charge "${shownName(intentId)}" of step "${step}" is not parked; the parked charge is "${parkedOn ?? ''}"`;
}
