/**
 * The operation catalogue. Source of every row: interface-v1 "Endpoints"; charge classes from "States and transitions",
 * "Limits" and general rule 2 ("cost depends on the query type"). Where the interface is silent about a charge, reads
 * that only report the state of paid work are `presumed free` and everything else is `per call`.
 */
import type { Operation, OperationId, OperationParameter } from './operation.js';

const CNJ: OperationParameter = { name: 'cnj', in: 'path', kind: 'cnj', required: true };
const PAGE: readonly OperationParameter[] = [
  { name: 'page', in: 'query', kind: 'positive integer', required: false },
  { name: 'limit', in: 'query', kind: 'positive integer', required: false },
];

const ROWS: readonly Operation[] = [
  {
    id: 'getAvailability',
    method: 'GET',
    path: '/v1',
    parameters: [],
    flags: [],
    charge: 'presumed free',
    eligible202: false,
    announcedByWebhook: false,
    paging: 'none',
    evidence: 'none',
    source: 'Endpoints, GET /v1',
  },
  {
    id: 'getBalance',
    method: 'GET',
    path: '/v1/conta/saldo',
    parameters: [],
    flags: [],
    charge: 'free',
    eligible202: false,
    announcedByWebhook: false,
    paging: 'none',
    evidence: 'none',
    source: 'Endpoints, GET /v1/conta/saldo',
  },
  {
    id: 'getRequest',
    method: 'GET',
    path: '/v1/requests/{requestId}',
    parameters: [{ name: 'requestId', in: 'path', kind: 'request id', required: true }],
    flags: [],
    charge: 'free',
    eligible202: true,
    announcedByWebhook: false,
    paging: 'none',
    evidence: 'none',
    source: 'Endpoints, GET /v1/requests/{requestId}; States and transitions',
  },
  {
    id: 'requestRefresh',
    method: 'POST',
    path: '/v1/processos/cnj/{cnj}/solicitar-atualizacao',
    parameters: [CNJ],
    flags: ['documents', 'callback'],
    charge: 'per call',
    eligible202: true,
    announcedByWebhook: true,
    paging: 'none',
    evidence: 'refresh status',
    source: 'Endpoints, POST /v1/processos/cnj/{cnj}/solicitar-atualizacao; rule 14',
  },
  {
    id: 'getRefreshStatus',
    method: 'GET',
    path: '/v1/processos/cnj/{cnj}/status-atualizacao',
    parameters: [CNJ],
    flags: [],
    charge: 'presumed free',
    eligible202: true,
    announcedByWebhook: false,
    paging: 'none',
    evidence: 'none',
    source: 'Endpoints, GET /v1/processos/cnj/{cnj}/status-atualizacao',
  },
  {
    id: 'listPublicDocuments',
    method: 'GET',
    path: '/v1/processos/cnj/{cnj}/documentos-publicos',
    parameters: [CNJ, ...PAGE],
    flags: [],
    charge: 'per call',
    eligible202: true,
    announcedByWebhook: false,
    paging: 'page and limit',
    evidence: 'none',
    source: 'Endpoints, GET /v1/processos/cnj/{cnj}/documentos-publicos; rule 14',
  },
];

/** Every operation, in the order of the interface's endpoint table. */
export const OPERATIONS: readonly Operation[] = ROWS;

const BY_ID: ReadonlyMap<string, Operation> = new Map(ROWS.map((row) => [row.id, row]));

/** Throws on an id that the catalogue does not have: ids are checked where they enter. */
export function operationOf(id: OperationId): Operation {
  const operation = BY_ID.get(id);
  if (operation === undefined) throw new Error(`tramita: operation "${id}" is not in the catalogue`);
  return operation;
}

export function isOperationId(id: string): id is OperationId {
  return BY_ID.has(id);
}
