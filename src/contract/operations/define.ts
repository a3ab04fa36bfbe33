/**
 * Builds rows of the catalogue. A row states only what differs from the cautious default: a GET that may cost money, may
 * answer 202 and is not announced. Source of every row: the table in interface "Endpoints"; `more` names rules.
 */
import type { Operation, OperationId, OperationParameter } from '../operation.js';
import type { ParameterKind } from '../parameter-kinds.js';

type Given = Pick<Operation, 'path'> & Partial<Omit<Operation, 'id' | 'source' | 'path'>>;

export function define(id: OperationId, row: Given & { readonly more?: string }): Operation {
  const { more, method = 'GET', path, ...given } = row;
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

export function inPath(name: string, kind: ParameterKind): OperationParameter {
  return { name, in: 'path', kind, required: true };
}

/** An optional query parameter. */
export function inQuery(name: string, kind: ParameterKind): OperationParameter {
  return { name, in: 'query', kind, required: false };
}

function inBody(name: string, kind: ParameterKind): OperationParameter {
  return { name, in: 'body', kind, required: false };
}

export const CNJ = inPath('cnj', 'cnj');
export const ID = inPath('id', 'id');
export const PAGE = inQuery('page', 'positive integer');
export const LIMIT = inQuery('limit', 'positive integer');
export const WEBHOOK_URL = inBody('webhook_url', 'webhook url');
export const AUXILIARY_TERMS = inBody('termos_auxiliares', 'text list');
export const ORIGINS = inBody('origens_ids', 'id list');

export const OAB_NUMBER = { ...inQuery('oab_numero', 'oab number'), required: true, gap: 'oabNumberParam' } as const;
export const OAB_STATE = { ...inQuery('oab_estado', 'oab state'), required: true, gap: 'oabStateParam' } as const;

const YEARS = ['ano_orcamentario', 'ano_orcamentario_inicio', 'ano_orcamentario_fim'];
export const BUDGET_YEARS = YEARS.map((name) => inQuery(name, 'year'));
