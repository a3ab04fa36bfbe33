/** The court's usual short name, from segment and court digits. Pure. */
import { UFS } from '../../src/contract/index.js';

/** `""` for a pair that is in no table. */
export function courtOf(cnj: string): string {
  const segment = cnj[13] ?? '';
  const court = Number(cnj.slice(14, 16));
  const state = UFS[court - 1] ?? '';
  switch (segment) {
    case '0':
    case '1':
      return 'STF';
    case '2':
      return 'CNJ';
    case '3':
      return 'STJ';
    case '4':
      return court === 90 ? 'CJF' : `TRF${court}`;
    case '5':
      return court === 90 ? 'CSJT' : court === 0 ? 'TST' : `TRT${court}`;
    case '6':
      return court === 0 ? 'TSE' : state && `TRE-${state}`;
    case '7':
      return 'STM';
    case '8':
      return state === 'DF' ? 'TJDFT' : state && `TJ${state}`;
    default:
      return state && `TJM${state}`;
  }
}
