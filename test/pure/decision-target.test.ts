import { decisionTarget } from '../../src/workflows/flow/decision-target.js';
import type { ParkingPlace } from '../../src/workflows/flow/parking-place.js';

const place: ParkingPlace = {
  attention: 'unknown-charge',
  waitingFor: 'a decision',
  intentId: 'parked',
  accepts: ['settleCharge', 'wake'],
  note: { step: 'getCase', story: '', choices: [] },
  givesUp: { type: 'UnknownCharge', message: '' },
};
const adopted = { intentId: 'adopted', charged: null, reused: false, settled: true };
const decision = { step: 'getCase', decision: 'abandon', by: 'ana' } as const;

describe('a decision', () => {
  it('is about the charge that the flow is parked on, if it names its step and no other charge', () => {
    expect(decisionTarget(decision, { place, adopted })).toEqual({ about: 'place' });
    expect(decisionTarget({ ...decision, intentId: 'parked' }, { place, adopted })).toEqual({ about: 'place' });
  });

  it('is about the adopted call of its step where the flow is not parked on its charge', () => {
    const expected = { about: 'adopted', call: adopted };
    expect(decisionTarget(decision, { place: undefined, adopted })).toEqual(expected);
    expect(decisionTarget({ ...decision, intentId: 'adopted' }, { place, adopted })).toEqual(expected);
  });

  it.each([
    ['nowhere', decision, undefined, 'nothing is parked'],
    ['on what settleCharge does not cure', decision, { ...place, accepts: ['resume'] as const }, 'send resume'],
    ['on another step', { ...decision, step: 'other' }, place, 'the parked step is "getCase"'],
    ['on another charge of the step', { ...decision, intentId: 'x' }, place, 'the parked charge is "parked"'],
  ])('is about nothing if the flow is parked %s', (_where, given, at, problem) => {
    expect(decisionTarget(given, { place: at, adopted: undefined })).toEqual({
      about: 'nothing',
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('is about nothing if it names neither the parked charge nor the adopted one', () => {
    const problem = expect.stringContaining('the parked charge is "adopted"') as string;
    expect(decisionTarget({ ...decision, intentId: 'x' }, { place, adopted })).toEqual({ about: 'nothing', problem });
  });
});
