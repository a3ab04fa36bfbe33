/**
 * What free reads are charged, and how the flow learns of it. A read that was charged is not made again, so an attempt that fails
 * after it returns what was collected instead. If its worker dies, the next attempt finds the charge in the ledger: its row names
 * the activity. An activity has one result, so each charge is told once.
 */
import { present } from '../../contract/index.js';
import { asUnexpected } from '../../http/index.js';
import type { Ledger } from '../../ledger/index.js';
import type { CallFacts, UnexpectedRead } from '../../protocol/index.js';
import type { Asker } from '../asker.js';
import type { LedgerDeps } from '../deps.js';

type Book = Ledger['bookUnexpected'];

/** `charges` grows while reads are made with the returned `deps`. */
export function collectCharges<Deps extends Pick<LedgerDeps, 'ledger'>>(
  deps: Deps,
): { readonly deps: Deps; readonly charges: readonly UnexpectedRead[] } {
  const charges: UnexpectedRead[] = [];
  const { ledger } = deps;
  const book: Book = (charge) => {
    charges.push(asUnexpected(charge));
    return ledger.bookUnexpected(charge);
  };
  return { deps: bookingBy(deps, book), charges };
}

export function factsOfCharges([unexpected, ...more]: readonly UnexpectedRead[]): Pick<
  CallFacts,
  'unexpected' | 'moreUnexpected'
> {
  return present({ unexpected, moreUnexpected: more.length === 0 ? undefined : more });
}

/** Books charges under this activity. */
export function bookUnder<Deps extends Pick<LedgerDeps, 'ledger'>>(
  deps: Deps,
  { activity }: Pick<Asker, 'activity'>,
): Deps {
  const { ledger } = deps;
  return bookingBy(deps, (charge) => ledger.bookUnexpected({ ...charge, activity }));
}

function bookingBy<Deps extends Pick<LedgerDeps, 'ledger'>>(deps: Deps, bookUnexpected: Book): Deps {
  return { ...deps, ledger: { ...deps.ledger, bookUnexpected } };
}

/** What earlier attempts of this activity were charged: no result has told the flow. `workflowId`: where it was booked. */
export async function chargedBefore(
  { ledger }: Pick<LedgerDeps, 'ledger'>,
  workflowId: string,
  { attempt = 1, activity }: Partial<Pick<Asker, 'attempt' | 'activity'>>,
): Promise<readonly UnexpectedRead[]> {
  return attempt === 1 || activity === undefined ? [] : chargedBy({ ledger }, { workflowId, activity });
}

/** What an activity that ended without a result was charged. */
export async function chargedBy(
  { ledger }: Pick<LedgerDeps, 'ledger'>,
  booked: { readonly workflowId: string; readonly activity: string },
): Promise<readonly UnexpectedRead[]> {
  return (await ledger.bookedBy(booked)).map(asUnexpected);
}
