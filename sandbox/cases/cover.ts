/** The facts of a case: parties, sources, cover. Members as observed; all fictional. Pure. */
import { UFS, formatCnj } from '../../src/contract/index.js';
import { addDays } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { courtOf } from './court.js';
import { movementAt, movementCount } from './movements.js';
import { companyOf, lawyerOf, personOf, spellOab, type Party } from './people.js';
import type { CaseTraits } from './personas.js';

const CLASSES = [
  'Procedimento Comum Cível',
  'Execução Fiscal',
  'Ação Trabalhista',
  'Mandado de Segurança',
  'Cumprimento de Sentença',
  'Inventário',
];
const SUBJECTS = [
  'Indenização por dano moral',
  'Dívida ativa',
  'Verbas rescisórias',
  'Fornecimento de medicamento',
  'Prestação de serviços',
];
const SYSTEMS = ['PJE', 'ESAJ', 'EPROC', 'PROJUDI'];
/** Appears in sealed cases only: found anywhere else, it is a leak. */
export const SEALED_CANARY = 'CONTEUDO-SIGILOSO-FICTICIO-7f3a';
const MASK = 'PARTE SIGILOSA';

export interface CaseFacts {
  readonly seed: string;
  readonly cnj: string;
  readonly traits: CaseTraits;
  readonly sealed: boolean;
  readonly nowMs: number;
}

export interface Parties {
  readonly active: Party;
  readonly passive: Party;
}

export function partiesOf(seed: string, cnj: string): Parties {
  const passive =
    deriveInteger(seed, 2, 'against', cnj) === 0 ? companyOf(seed, 'passive', cnj) : personOf(seed, 'passive', cnj);
  return { active: personOf(seed, 'active', cnj), passive };
}

export function classOf(seed: string, cnj: string): string {
  return CLASSES[deriveInteger(seed, CLASSES.length, 'class', cnj)] ?? '';
}

export function unitOf(seed: string, cnj: string): string {
  return `${1 + deriveInteger(seed, 40, 'unit', cnj)}ª Vara fictícia, ${courtOf(cnj)}`;
}

/** The record of the case as the cover read returns it. */
export function buildCover(facts: CaseFacts): Record<string, unknown> {
  const { seed, cnj, sealed, traits } = facts;
  const { active, passive } = partiesOf(seed, cnj);
  const count = movementCount(seed, cnj, facts.nowMs);
  const started = addDays(movementAt(seed, cnj, 0).date, -1);
  const last = movementAt(seed, cnj, count - 1);
  return {
    numero_cnj: formatCnj(cnj),
    titulo_polo_ativo: sealed ? MASK : active.nome,
    titulo_polo_passivo: sealed ? MASK : passive.nome,
    ano_inicio: Number(started.slice(0, 4)),
    data_inicio: started,
    tribunal: courtOf(cnj),
    estado_origem: stateOf(cnj),
    data_ultima_movimentacao: last.date,
    quantidade_movimentacoes: count,
    nivel_sigilo: sealed ? 1 : 0,
    segredo_justica: sealed,
    ativo: true,
    fontes: Array.from({ length: traits.degrees }, (_, index) => buildSource(facts, index + 1, { active, passive })),
    processos_relacionados: [],
    ...(sealed ? { observacao: SEALED_CANARY } : {}),
  };
}

function buildSource(facts: CaseFacts, degree: number, parties: Parties): Record<string, unknown> {
  const { seed, cnj, sealed } = facts;
  const lawyer = lawyerOf(seed, 'case lawyer', cnj);
  const last = movementAt(seed, cnj, movementCount(seed, cnj, facts.nowMs) - 1);
  const value = `${deriveInteger(seed, 900_000, 'value', cnj)}.0000`;
  return {
    id: deriveInteger(seed, 1_000_000_000, 'source', cnj, degree),
    descricao: `${courtOf(cnj)} - ${degree}º grau`,
    sigla: courtOf(cnj),
    tipo: 'TRIBUNAL',
    grau: degree,
    grau_formatado: degree === 1 ? 'Primeiro Grau' : degree === 2 ? 'Segundo Grau' : 'Tribunal Superior',
    segredo_justica: sealed,
    arquivado: deriveInteger(seed, 5, 'archived', cnj) === 0,
    status_predito: deriveInteger(seed, 4, 'ended', cnj) === 0 ? 'INATIVO' : 'ATIVO',
    sistema: SYSTEMS[deriveInteger(seed, SYSTEMS.length, 'system', cnj)],
    tribunal: { id: Number(cnj.slice(13, 16)), nome: courtOf(cnj), sigla: courtOf(cnj) },
    capa: {
      classe: classOf(seed, cnj),
      assunto: SUBJECTS[deriveInteger(seed, SUBJECTS.length, 'subject', cnj)],
      area: 'Cível',
      orgao_julgador: unitOf(seed, cnj),
      valor_causa: { valor: value, moeda: 'BRL', valor_formatado: `R$ ${value.slice(0, -5)},00` },
      situacao: 'Em andamento',
      ultimo_movimento: { data: last.date, data_hora: `${last.date} 12:00:00`, descricao: last.text, codigo: -1 },
    },
    envolvidos: sealed
      ? [
          { nome: MASK, polo: 'ATIVO' },
          { nome: MASK, polo: 'PASSIVO' },
        ]
      : [
          {
            ...personRecord(parties.active, 'ATIVO'),
            advogados: [
              {
                nome: lawyer.nome,
                oabs: [{ numero: Number(lawyer.numero), uf: lawyer.uf, tipo: 'ADVOGADO' }],
                oab: spellOab(lawyer, deriveInteger(seed, 5, 'style', cnj)),
              },
            ],
          },
          personRecord(parties.passive, 'PASSIVO'),
        ],
  };
}

function personRecord(party: Party, polo: string): Record<string, unknown> {
  const person = party.tipoPessoa === 'FISICA';
  return {
    nome: party.nome,
    tipo_pessoa: party.tipoPessoa,
    polo,
    cpf: person ? party.documento : null,
    cnpj: person ? null : party.documento,
    oabs: [],
  };
}

function stateOf(cnj: string): { readonly sigla: string | null } {
  const regional = cnj[13] === '8' || cnj[13] === '6';
  return { sigla: (regional ? UFS[Number(cnj.slice(14, 16)) - 1] : undefined) ?? null };
}
