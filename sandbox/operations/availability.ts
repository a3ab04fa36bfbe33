/** GET /v1: the availability document, without an envelope (interface "Availability document"). */
import { OPERATIONS } from '../../src/contract/index.js';
import { jsonAnswer } from '../answer.js';
import type { OperationHandler } from './types.js';
import { answeredAs } from './verdicts.js';

const DOCUMENT = {
  service: 'Judicial Records Data Service (sandbox)',
  version: '1.0.0',
  authentication: { header: 'x-api-key', fallback: 'Authorization: Bearer <API_KEY>' },
  endpoints: OPERATIONS.map(({ id, method, path }) => ({ method, path, description: id })),
};

export const getAvailability: OperationHandler = (call, view) =>
  answeredAs(() => jsonAnswer(200, DOCUMENT), call, view);
