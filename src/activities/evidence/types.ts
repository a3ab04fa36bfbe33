/**
 * What free evidence can say about an unknown charge (design 10). It decides only on proof: anything else leaves the charge
 * to a person. `looked` tells people what was looked at and what it said; never a personal number.
 */
import type { UnexpectedRead } from '../../protocol/index.js';
import type { Amount } from '../../contract/index.js';
import type { Settlement } from '../../ledger/index.js';

export type Finding = Found & { readonly unexpected?: UnexpectedRead };

type Found =
  /** It was accepted (adopted as pending) or done: the row is settled by `settlement`. */
  | { readonly found: 'sent'; readonly settlement: Settlement; readonly looked: string }
  /** It cost nothing: it may be sent again. */
  | { readonly found: 'not charged'; readonly proof: Readonly<Record<string, unknown>>; readonly looked: string }
  /** It may be repeated whatever it cost: the reservation stays. */
  | { readonly found: 'repeatable'; readonly proof: Readonly<Record<string, unknown>>; readonly looked: string }
  /** Paid, and its answer cannot be had. */
  | {
      readonly found: 'charged';
      readonly charged: Amount;
      readonly proof: Readonly<Record<string, unknown>>;
      readonly looked: string;
    }
  | { readonly found: 'nothing'; readonly looked: string };

export function nothing(looked: string): Finding {
  return { found: 'nothing', looked };
}
