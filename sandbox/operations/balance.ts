/** GET /v1/conta/saldo: free, no consumption entry, works at zero balance. */
import { amountNumber } from '../answer.js';
import type { OperationHandler } from './types.js';
import { answered } from './verdicts.js';

export const getBalance: OperationHandler = (call, view) =>
  answered({ credits: amountNumber(view.balance()), currency: 'BRL', accountStatus: 'ACTIVE' }, call, view);
