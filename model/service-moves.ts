/** How the service handles a request that has reached it. */
import { withCall } from './change.js';
import { callTitle, type Dealing, type Move, type State } from './words.js';
import { worldOf } from './worlds.js';

type Says = readonly (readonly [next: Dealing, says: string])[];

const ANSWERS: Says = [
  ['answered', 'answers 200, CHARGED'],
  ['accepted', 'answers 202, CHARGED'],
];
const TROUBLE: Says = [
  ['refused', 'answers 429, not charged'],
  ['garbled', 'answers 200 with a body that nobody can read, CHARGED'],
  ['accepted, 500', 'accepts it, CHARGED, and answers 500'],
  ['not charged, 500', 'answers 500, not charged'],
];

export function serviceMoves(state: State): readonly Move[] {
  return state.calls.flatMap(({ dealing }, call) => dealings(state, call, dealing));
}

function dealings(state: State, call: number, dealing: Dealing): readonly Move[] {
  const says = (text: string): string => `service, ${callTitle(call)}: ${text}`;
  const well = ([next, text]: Says[number]): Move => ({
    kind: 'step',
    says: says(text),
    next: withCall(state, call, { dealing: next }),
  });
  const badly = ([next, text]: Says[number]): readonly Move[] =>
    state.mishaps === 0
      ? []
      : [
          {
            kind: 'mishap',
            says: says(text),
            next: { ...withCall(state, call, { dealing: next }), mishaps: state.mishaps - 1 },
          },
        ];
  switch (dealing) {
    case 'received':
      // A refresh is always accepted first.
      return [
        ...ANSWERS.filter(([next]) => next !== 'answered' || !worldOf(state).byStatus).map(well),
        ...TROUBLE.flatMap(badly),
      ];
    case 'accepted':
      return [well(['finished', 'the work ends']), ...badly(['forgotten', 'forgets the request'])];
    case 'accepted, 500':
      return [well(['finished, 500', 'the work ends'])];
    default:
      return [];
  }
}
