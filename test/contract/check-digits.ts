/** Check digits by the published formulas, written independently of the code under test. */
function mod11(text: string, weights: readonly number[]): number {
  const sum = weights.reduce((total, weight, place) => total + (text.charCodeAt(place) - 48) * weight, 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}
const CPF_1 = [10, 9, 8, 7, 6, 5, 4, 3, 2];
const CNPJ_1 = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
/** Nine digits with their check digits. */
export const cpfOf = (base: string): string => {
  const first = base + String(mod11(base, CPF_1));
  return first + String(mod11(first, [11, ...CPF_1]));
};
/** Twelve characters with their check digits. */
export const cnpjOf = (base: string): string => {
  const first = base + String(mod11(base, CNPJ_1));
  return first + String(mod11(first, [6, ...CNPJ_1]));
};
