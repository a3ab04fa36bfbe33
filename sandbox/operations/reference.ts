/** Reference lists, free: covered administrative bodies (`ATIVO`, `BETA`) and court systems. Filters narrow by text. */

import { UFS } from '../../src/contract/index.js';
import { spell } from './spelling.js';
import type { OperationHandler } from './types.js';
import { answered } from './verdicts.js';

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

function listOf(rows: readonly object[]): OperationHandler {
  return (call, view) => {
    const wanted = Object.values(call.query).map((value) => value.toLowerCase());
    const items = rows.filter((row) => wanted.every((value) => JSON.stringify(row).toLowerCase().includes(value)));
    return answered({ items: items.map((row) => spell(row, view.settings.dialect)), total: items.length }, call, view);
  };
}
