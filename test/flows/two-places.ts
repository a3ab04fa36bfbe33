/** A flow for one test: it is parked at a charge, looks by itself, and is then parked at another place. */
import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import type { ParkingPlace } from '../../src/workflows/flow/parking-place.js';
import { createEventLooks } from '../../src/workflows/flow/event-looks.js';
import { openParkingLot } from '../../src/workflows/flow/parking-lot.js';
import { openSettings } from '../../src/workflows/flow/running-settings.js';
import { createWakeCount } from '../../src/workflows/flow/wake-count.js';

const GIVES_UP = { type: 'UnknownCharge', message: 'nobody came' } as const;
const CHARGE: ParkingPlace = {
  attention: 'unknown-charge',
  waitingFor: 'a decision',
  intentId: 'intent-1',
  accepts: ['settleCharge', 'wake'],
  lookAgainAfterMs: () => 100,
  note: { step: 'getSummary', story: '', choices: [] },
  givesUp: GIVES_UP,
};
const NOT_READY: ParkingPlace = {
  attention: 'stalled',
  waitingFor: 'a person to try again',
  accepts: ['resume'],
  lookAgainAfterMs: () => 2_000,
  note: { step: 'getSummary', story: '', choices: [] },
  givesUp: GIVES_UP,
};

/** Returns what ended the wait at the second place. */
export async function twoPlaces(): Promise<string | undefined> {
  let hasLooked = false;
  setHandler(defineSignal('looked'), () => {
    hasLooked = true;
  });
  const lot = openParkingLot({
    adopted: () => undefined,
    wakes: createWakeCount(() => undefined),
    eventLooks: createEventLooks(),
    settings: openSettings({ account: 'default' }, undefined),
  });
  await lot.wait(CHARGE, Date.now());
  // The look finds that the call was refused.
  await condition(() => hasLooked);
  return (await lot.wait(NOT_READY, Date.now()))?.by;
}
