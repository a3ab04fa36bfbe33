/**
 * Deliberate defects, one rule each. When a defect is on, the place that keeps its rule breaks it; the exploration must
 * then find a state that breaks a promise. All are off by default.
 */
export interface DefectTerms {
  /** What goes wrong in the code. */
  readonly means: string;
  /** How many mishaps it takes to show. */
  readonly mishaps: number;
  /** The search stops after this many moves, and covers the first world only. Default: sixteen moves, in every world. */
  readonly depth?: number;
}

export const DEFECTS = {
  'a missing row means never sent': {
    means: 'the resolver does not ask whether the database is still the one that it was',
    mishaps: 2,
  },
  'sends while the ledger is held': { means: 'a new life of the database holds nobody up', mishaps: 1 },
  'the journal is written after the send': {
    means: 'a worker notes a call only once its answer is there',
    mishaps: 2,
    depth: 19,
  },
  'a call begun in an earlier life is sent': {
    means: 'a worker that was heard still sends what it had begun before',
    mishaps: 1,
  },
  'equal calls are not joined': { means: 'an opening does not look at rows of the other flow', mishaps: 1 },
  'a later answer is not shared': {
    means: 'what the other flow bought after this one had started is bought again',
    mishaps: 1,
  },
  'a lost answer is not shared': {
    means: 'what the other flow bought and lost after this one had started is bought again',
    mishaps: 1,
  },
  'the next ordinal needs no closed one': {
    means: 'a step whose outcome is unknown is sent again by itself',
    mishaps: 1,
  },
  'an open row of another attempt is sent': { means: 'an opening does not compare attempt tokens', mishaps: 1 },
  'no age fence': { means: 'a request is written however old its body is', mishaps: 1 },
  'the door stays open': { means: 'the resolver says "not sent" without a closed row', mishaps: 2 },
  'the sweeper says not sent': { means: 'an open row that nobody settles becomes not_sent', mishaps: 1 },
  'unknown is settled as not sent': { means: 'no answer is taken for no call', mishaps: 1 },
  'a late answer moves a decided row': { means: 'a settlement applies whatever was decided', mishaps: 1 },
  'an event adopts': { means: 'an unknown row becomes pending because an event says so', mishaps: 1 },
  'a forgotten request was not charged': { means: 'work that the service has forgotten is sent again', mishaps: 1 },
} as const satisfies Readonly<Record<string, DefectTerms>>;

export type Defect = keyof typeof DEFECTS;

export const DEFECT_NAMES = Object.keys(DEFECTS) as readonly Defect[];

let current: Defect | undefined;

export function isOn(defect: Defect): boolean {
  return current === defect;
}

export function switchOn(defect: Defect | undefined): void {
  current = defect;
}
