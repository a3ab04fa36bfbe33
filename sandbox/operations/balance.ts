/** GET /v1/conta/saldo: free, no consumption entry, works at zero balance. */
import { amountNumber, envelope, jsonAnswer } from '../answer.js';
import type { OperationHandler } from './types.js';

export const getBalance: OperationHandler = (_call, view) => ({
  kind: 'free',
  answer: (paid) => {
    const data = { credits: amountNumber(view.balance()), currency: 'BRL', accountStatus: 'ACTIVE' };
    return jsonAnswer(200, envelope(data, paid, view.nowMs));
  },
});
