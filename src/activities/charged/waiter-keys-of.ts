/** Keys under which a call waits for events before its request id is known: its case and its lawyer. Pure. */
import { readOabQuery, type Gaps } from '../../contract/index.js';
import { cnjKey, oabKey } from '../../inbox/index.js';
import type { CallSubject } from '../../protocol/index.js';

export function waiterKeysOf(
  { params }: Pick<CallSubject, 'params'>,
  { oabNumberParam, oabStateParam }: Gaps,
): readonly string[] {
  const cnj = params['cnj'];
  const oab = readOabQuery({ numero: params[oabNumberParam], uf: params[oabStateParam] });
  return [...(cnj === undefined ? [] : [cnjKey(String(cnj))]), ...(oab === undefined ? [] : [oabKey(oab)])];
}
