/** Valid identifiers of cases and persons that belong to nobody, as many as a run needs. Pure. */
import { expectedCheckDigits } from '../src/contract/index.js';

/** `sequence`: seven digits, `unit`: four. A case of 2026 at a court of São Paulo, with its check digits. */
export function caseNumberOf(sequence: number, unit = '0100'): string {
  const draft = `${sequence}002026826${unit}`;
  return `${draft.slice(0, 7)}${expectedCheckDigits(draft)}${draft.slice(9)}`;
}

/** A CPF (number of a person) with correct check digits; `n` up to 899,999,999. */
export function cpfOf(n: number): string {
  const digits = Array.from(String(100_000_000 + n), Number);
  for (const first of [10, 11]) {
    const sum = digits.reduce((total, digit, place) => total + digit * (first - place), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  return digits.join('');
}
