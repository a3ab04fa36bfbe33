/** Under which keys events about a call are waited for, before its request id is known. Pure. */
import { cnjKey } from '../../inbox/index.js';
import type { CallSubject } from '../../protocol/index.js';

export function waiterKeysOf({ params }: Pick<CallSubject, 'params'>): readonly string[] {
  const cnj = params['cnj'];
  return cnj === undefined ? [] : [cnjKey(String(cnj))];
}
