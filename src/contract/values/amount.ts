/**
 * Money: an integer of 1/10,000 of the account's currency inside, a decimal string in shortest form outside.
 *
 * Pure. Never a float in sums: `0.05 * 3` is 0.15000000000000002. An amount that the service did not report is `null` or
 * absent, never zero. Source of the unit: the service's prices go below the cent (interface "Limits": 0.05, 0.08,
 * 0.15; per-result prices have four places).
 */

declare const amountBrand: unique symbol;

/** Integer count of 1/10,000 of the currency unit. May be negative in differences. */
export type Amount = number & { readonly [amountBrand]: true };

/** Parts of one unit of the currency. */
export const AMOUNT_SCALE = 10_000;
/** Nothing, as an amount. */
export const ZERO_AMOUNT = 0 as Amount;

const DECIMAL = /^(\d{1,11})(?:\.(\d{1,4}))?$/;
/** Texts that {@link parseAmount} reads, as the source of a regular expression. */
export const AMOUNT_FORM = DECIMAL.source;

/** `"0.05"` → 500. Undefined when `text` is not a plain decimal with at most four places. */
export function parseAmount(text: string): Amount | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  return (Number(whole) * AMOUNT_SCALE + Number(fraction.padEnd(4, '0'))) as Amount;
}

/** 500 → `"0.05"`, 20000 → `"2"`: the shortest form. */
export function formatAmount(amount: Amount | number): string {
  const sign = amount < 0 ? '-' : '';
  const units = Math.abs(amount);
  const fraction = String(units % AMOUNT_SCALE)
    .padStart(4, '0')
    .replace(/0+$/, '');
  return `${sign}${Math.trunc(units / AMOUNT_SCALE)}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * An amount as the service writes it: a JSON number or a decimal text, also with a decimal comma and `R$`. Read from the
 * number's own shortest text, so 0.07 is exactly 700; places after the fourth are rounded half up. Points before three digits
 * separate thousands if there are two of them, a decimal comma or `R$`: `R$ 50.000`. Undefined for anything else, and for
 * `1,234`, whose comma may separate thousands.
 */
export function readServiceAmount(value: unknown): Amount | undefined {
  const text = typeof value === 'number' ? numberText(value) : typeof value === 'string' ? pointText(value) : undefined;
  const match = text === undefined ? null : /^(-?)(\d{1,11})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '0', fraction = ''] = match;
  const kept = Number(whole) * AMOUNT_SCALE + Number(fraction.slice(0, 4).padEnd(4, '0'));
  const rounded = kept + (Number(fraction[4] ?? '0') >= 5 ? 1 : 0);
  return (sign === '-' ? -rounded : rounded) as Amount;
}

/** The text with a decimal point, without `R$` and thousands. */
function pointText(text: string): string {
  const [, sign = '', currency, number = ''] = /^(-?)\s*(R\$)?\s*(.*)$/s.exec(text.trim()) ?? [];
  const thousands = currency === undefined ? /^[1-9]\d{0,2}(\.\d{3}){2,}$/ : /^[1-9]\d{0,2}(\.\d{3})+$/;
  const isBrazilian = thousands.test(number) || (WITH_COMMA.test(number) && !MAYBE_THOUSANDS.test(number));
  return `${sign}${isBrazilian ? number.replaceAll('.', '').replace(',', '.') : number}`;
}

/** As people write amounts in Brazil: `0,32`, `1.234,56`. */
const WITH_COMMA = /^(\d{1,11}|[1-9]\d{0,2}(\.\d{3})+),\d+$/;
const MAYBE_THOUSANDS = /^[1-9]\d{0,2},\d{3}$/;

/** The sum of two amounts. */
export function addAmounts(left: Amount, right: Amount): Amount {
  return (left + right) as Amount;
}

function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  return text.includes('e') ? value.toFixed(8) : text;
}
