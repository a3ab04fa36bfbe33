/** An amount as a statement writes it: `-R$ 1.234,56`, `0.1444`. Pure. */
import { AMOUNT_SCALE, readServiceAmount, type Amount } from '../../contract/index.js';

export interface StatementAmount {
  /** With the sign of the file. */
  readonly amount: Amount;
  /** Decimal places that the file shows. */
  readonly places: number;
}

const POINT = /^(0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?$/;
const COMMA = /^(0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+)(?:,(\d+))?$/;

/** Undefined if it is no amount in this form. */
export function readStatementAmount(text: string, decimalComma: boolean): StatementAmount | undefined {
  const plain = text.replace(/\s|R\$/g, '').replace('−', '-');
  const negative = plain.startsWith('-');
  const match = (decimalComma ? COMMA : POINT).exec(plain.replace(/^[+-]/, ''));
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  const amount = readServiceAmount(
    `${negative ? '-' : ''}${whole.replace(/[.,]/g, '')}${fraction === '' ? '' : `.${fraction}`}`,
  );
  return amount === undefined ? undefined : { amount: amount === 0 ? (0 as Amount) : amount, places: fraction.length };
}

/** The unit of the last decimal place, in 1/10,000. Amounts that differ by less may be the same one, rounded or cut. */
export function lastPlace(places: number): number {
  return AMOUNT_SCALE / 10 ** Math.min(places, 4);
}
