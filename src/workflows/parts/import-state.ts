/** What an import knows beyond its input: a run of many pages hands it to the next one, and the next one checks its form. Pure. */
import { present } from '../../contract/values/index.js';
import type { FlowSettings, LawyerCursor } from '../../protocol/index.js';
import { either, isCount, isNull, isText, optional, shapeOf, where, type Is } from '../flow/shape.js';

export interface Import {
  readonly paidChecks: number;
  /** `maxPaidChecks`, and one more for each `resume`. */
  readonly allowed: number;
  readonly restarts: number;
  readonly lastPurchaseMs: number;
  readonly provisionalSet: string;
  readonly staging?: Staging;
}

export interface Staging {
  readonly setId: string;
  readonly version: string | null;
  readonly cursor: LawyerCursor | null;
  readonly pages: number;
  /** How many cases the service says that there are. */
  readonly available?: number;
}

const isSetId = where(isText, (text) => /^[0-9a-f-]{36}$/.test(text));

/** A run hands on only in the middle of a list: there is a set, and a page behind the first to read next. */
const isHandedOn = shapeOf<Import & { readonly staging: Staging }>({
  paidChecks: isCount,
  allowed: isCount,
  restarts: isCount,
  lastPurchaseMs: isCount,
  provisionalSet: isSetId,
  staging: shapeOf<Staging>({
    setId: isSetId,
    version: either(isText, isNull),
    pages: isCount,
    available: optional(isCount),
    cursor: shapeOf<LawyerCursor>({ page: where(isCount, (page) => page >= 2), target: either(isText, isNull) }),
  }),
});

/** What a run of these settings hands on: page 1 was bought, and no more is allowed than the input or one person at a time has. */
export function isImportOf({ maxPaidChecks }: Pick<FlowSettings<'importLawyerCases'>, 'maxPaidChecks'>): Is<Import> {
  return where(
    isHandedOn,
    ({ paidChecks, allowed }) => paidChecks >= 1 && allowed <= Math.max(maxPaidChecks, paidChecks + 1),
  );
}

/** Without what else a run has handed on. */
export function handedOn({ paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet, staging }: Import): Import {
  return { paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet, ...present({ staging }) };
}
