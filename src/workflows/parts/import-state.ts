/** The state of an import beyond its input, as a run hands it to the next one, and the check of its shape. Pure. */
import { present } from '../../contract/values/index.js';
import type { FlowSettings, LawyerCursor } from '../../protocol/index.js';
import { either, isCount, isNull, isText, optional, shapeOf, where, type Is } from '../flow/shape.js';

export interface Import {
  readonly paidChecks: number;
  /** `maxPaidChecks`; a `resume` raises it so that at least one more purchase is allowed. */
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
  /** Cases on page 1; absent in a list that was begun before this member existed. */
  readonly firstPageItems?: number;
}

/** An import in the middle of a list: it has a next page to read. */
export type Reading = Import & { readonly staging: Staging & { readonly cursor: LawyerCursor } };

/** Discards the staging: the list is read again from page 1, which is charged. */
export function restart({ staging: _givenUp, ...rest }: Import): Import {
  return { ...rest, restarts: rest.restarts + 1 };
}

const isSetId = where(isText, (text) => /^[0-9a-f-]{36}$/.test(text));

/** A run hands on only in the middle of a list: there is a staged set, and a later page to read next. */
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
    firstPageItems: optional(isCount),
    cursor: shapeOf<LawyerCursor>({ page: where(isCount, (page) => page >= 2), target: either(isText, isNull) }),
  }),
});

/** State of a run with these settings: page 1 was bought, and `allowed` is within what the input or one `resume` allows. */
export function isImportOf({ maxPaidChecks }: Pick<FlowSettings<'importLawyerCases'>, 'maxPaidChecks'>): Is<Import> {
  return where(
    isHandedOn,
    ({ paidChecks, allowed }) => paidChecks >= 1 && allowed <= Math.max(maxPaidChecks, paidChecks + 1),
  );
}

/** Only the import, without the other members that a run has handed on. */
export function pickImport({ paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet, staging }: Import): Import {
  return { paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet, ...present({ staging }) };
}
