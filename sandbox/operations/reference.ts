/** Free reads of the service itself: availability, balance, covered administrative bodies (`ATIVO`, `BETA`), court systems. */
import { OPERATIONS, UFS } from '../../src/contract/index.js';
import { amountNumber, jsonAnswer } from '../answer.js';
import { spell } from './spelling.js';
import type { OperationHandler } from './types.js';
import { answered, answeredAs } from './verdicts.js';

const DOCUMENT = {
  service: 'Judicial Records Data Service (sandbox)',
  version: '1.0.0',
  authentication: { header: 'x-api-key', fallback: 'Authorization: Bearer <API_KEY>' },
  endpoints: OPERATIONS.map(({ id, method, path }) => ({ method, path, description: id })),
};

/** GET /v1: without an envelope (interface "Availability document"). */
export const getAvailability: OperationHandler = (view) => answeredAs(() => jsonAnswer(200, DOCUMENT), view);

/** GET /v1/conta/saldo: no consumption entry, works at zero balance. */
export const getBalance: OperationHandler = (view) =>
  answered({ credits: amountNumber(view.balance()), currency: 'BRL', accountStatus: 'ACTIVE' }, view);

const BODIES = [
  'Ministério fictício da Fazenda',
  'Agência fictícia de Energia',
  'Instituto fictício de Seguridade',
  'Universidade fictícia Federal',
].map((nome, index) => ({
  id: `org-${index + 1}`,
  nome,
  status: index % 2 === 0 ? 'ATIVO' : 'BETA',
  fonte: 'SEI',
  capacidades: ['consulta', 'monitoramento'],
  escopo: 'FEDERAL',
  restricoes: index % 2 === 0 ? [] : ['sem validação individual'],
}));
const SYSTEMS = [
  ...UFS.map((uf) => ({
    id: `tj-${uf.toLowerCase()}`,
    tribunal: uf === 'DF' ? 'TJDFT' : `TJ${uf}`,
    uf,
    sistema: 'PJE',
    requisitos: { login: false, captcha: false },
  })),
  ...[1, 2, 3, 4, 5, 6].map((region) => ({
    id: `trf-${region}`,
    tribunal: `TRF${region}`,
    uf: null,
    sistema: 'EPROC',
    requisitos: { login: false, captcha: true },
  })),
];

export const listAdministrativeBodies = listOf(BODIES);
export const listCourtSystems = listOf(SYSTEMS);

/** Filters match parts of the text. */
function listOf(rows: readonly object[]): OperationHandler {
  return (view) => {
    const wanted = Object.values(view.call.query).map((value) => value.toLowerCase());
    const items = rows.filter((row) => wanted.every((value) => JSON.stringify(row).toLowerCase().includes(value)));
    return answered({ items: items.map((row) => spell(row, view.settings.dialect)), total: items.length }, view);
  };
}
