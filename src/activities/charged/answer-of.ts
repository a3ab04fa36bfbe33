/** The answer of an exchange in the words of the readers. Pure. */
import { present } from '../../contract/index.js';
import { createHash } from 'node:crypto';
import type { Operation } from '../../contract/index.js';
import type { Exchange } from '../../http/index.js';
import type { CallSubject } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import type { ReadableAnswer } from '../readings/index.js';
import { storedFileOf } from './stored-file.js';

export function answerOf(
  deps: Pick<ActivityDeps, 'gaps' | 'accounts'>,
  call: {
    readonly operation: Operation<string>;
    readonly exchange: Exchange;
    readonly asked: Pick<CallSubject, 'account' | 'params' | 'target' | 'view'>;
  },
): Omit<ReadableAnswer, 'body'> & { readonly view: CallSubject['view'] | undefined } {
  const { operation, exchange, asked } = call;
  const bytes = exchange.kind === 'answer' ? exchange.body : Buffer.alloc(0);
  const file = storedFileOf(exchange);
  return {
    operation,
    params: asked.params,
    ...present({ target: asked.target }),
    baseUrl: deps.accounts.get(asked.account)?.baseUrl ?? '',
    gaps: deps.gaps,
    bytes: file?.bytes ?? bytes.length,
    sha256: file?.sha256 ?? createHash('sha256').update(bytes).digest('hex'),
    ...present({ file }),
    view: asked.view,
  };
}
