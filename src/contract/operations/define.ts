/**
 * How a row of the catalogue is written: only what differs from the careful reading (may cost money, may answer 202, is
 * not announced). Shared parameters. Source of every row: the table in interface "Endpoints"; `more` names rules.
 */
import type { Operation, OperationId, OperationParameter } from '../operation.js';

type Given = Pick<Operation, 'method' | 'path'>;
type Optional = Partial<Omit<Operation, 'id' | 'source' | keyof Given>>;

export function define(id: OperationId, row: Given & Optional & { readonly more?: string }): Operation {
  const { more, method, path, ...given } = row;
  return {
    id,
    method,
    path,
    parameters: [],
    filters: [],
    open: { query: false, body: false },
    flags: [],
    charge: 'per call',
    eligible202: true,
    announcedByWebhook: false,
    paging: 'none',
    answer: 'envelope',
    evidence: 'none',
    ...given,
    source: `Endpoints, ${method} ${path}${more === undefined ? '' : `; ${more}`}`,
  };
}

export const CNJ: OperationParameter = { name: 'cnj', in: 'path', kind: 'cnj', required: true };
export const ID: OperationParameter = { name: 'id', in: 'path', kind: 'id', required: true };
export const PAGE: OperationParameter = { name: 'page', in: 'query', kind: 'positive integer', required: false };
export const LIMIT: OperationParameter = { name: 'limit', in: 'query', kind: 'positive integer', required: false };
export const WEBHOOK_URL: OperationParameter = {
  name: 'webhook_url',
  in: 'body',
  kind: 'webhook url',
  required: false,
};
export const AUXILIARY_TERMS: OperationParameter = {
  name: 'termos_auxiliares',
  in: 'body',
  kind: 'text list',
  required: false,
};
export const ORIGINS: OperationParameter = { name: 'origens_ids', in: 'body', kind: 'id list', required: false };

export const OAB_NUMBER: OperationParameter = {
  name: 'oab_numero',
  in: 'query',
  kind: 'oab number',
  required: true,
  gap: 'oabNumberParam',
};
export const OAB_STATE: OperationParameter = {
  name: 'oab_estado',
  in: 'query',
  kind: 'oab state',
  required: true,
  gap: 'oabStateParam',
};

export const BUDGET_YEARS: readonly OperationParameter[] = [
  'ano_orcamentario',
  'ano_orcamentario_inicio',
  'ano_orcamentario_fim',
].map((name) => ({ name, in: 'query', kind: 'year', required: false }) as const);
