/**
 * The state of a refresh. The interface does not show the record ("Gaps in resource fields"): configuration says where the
 * status word is, and the vocabulary is the observed one. An unrecognised word means *running*, never success.
 */
import { readRecord } from './envelope.js';
import type { Gaps, StatusWords } from './gaps.js';
import { atPath, camelCase, firstAt, isJsonObject, textOf } from './json.js';
import { readInstantMs } from './service-time.js';
import { parseRequestId, present, type RequestId } from './values/index.js';

/** State of a refresh; `empty`: the court shows no such case. */
export type RefreshState = 'running' | 'done' | 'empty' | 'failed';

/** What a record says about a refresh. */
export interface RefreshStatus {
  /** What the word means; `running` for a word that is not known. */
  readonly state: RefreshState;
  /** The word as sent; undefined when none was found. */
  readonly rawStatus?: string;
  /** False when the word is not in the vocabulary (then `state` is `running`). */
  readonly recognised: boolean;
  /** The request that this record says it is about. */
  readonly requestId?: RequestId;
  /** The record's own latest time, epoch ms by the service's clock. */
  readonly timeMs?: number;
}

const WORDS: StatusWords = {
  running: ['PENDENTE', 'PROCESSANDO', 'EM_PROCESSAMENTO', 'pending', 'processing'],
  done: ['SUCESSO', 'CONCLUIDO', 'CONCLUIDA', 'success', 'completed'],
  empty: ['NAO_ENCONTRADO', 'not_found'],
  failed: ['ERRO', 'FALHA', 'error', 'failed'],
};

const both = (...names: readonly string[]): readonly string[] => names.flatMap((name) => [name, camelCase(name)]);
/** Names under which records of this kind carry their times and their request. */
const TIME_FIELDS = [
  ...both('concluido_em', 'completed_at', 'finished_at', 'atualizado_em', 'updated_at'),
  ...both('data_ultima_verificacao', 'criado_em', 'submitted_at', 'created_at'),
];
const ID_FIELDS = both('request_id', 'solicitacao_id', 'id');
const NESTED = ['', 'ultima_verificacao.', 'ultimaVerificacao.', 'atualizacao.'];

/** Reads `status-atualizacao`, the final answer of a refresh request, or the record inside a completion event. */
export function readRefreshStatus(body: unknown, gaps: Pick<Gaps, 'statusField' | 'statusWords'>): RefreshStatus {
  const record = readRecord(body) ?? {};
  const rawStatus = firstAt(record, both(...gaps.statusField), textOf);
  const state = rawStatus === undefined ? undefined : stateOf(rawStatus, gaps.statusWords);
  const requestId = firstAt(record, nestedNames(ID_FIELDS), parseRequestId);
  const times = nestedNames(TIME_FIELDS)
    .map((path) => readInstantMs(atPath(record, path)))
    .filter((time) => time !== undefined);
  return {
    state: state ?? 'running',
    recognised: state !== undefined,
    ...present({
      rawStatus: rawStatus?.replace(/\p{C}/gu, '').slice(0, 64),
      requestId,
      timeMs: times.length === 0 ? undefined : Math.max(...times),
    }),
  };
}

function stateOf(word: string, added: StatusWords): RefreshState | undefined {
  const plain = normalise(word);
  for (const state of ['running', 'done', 'empty', 'failed'] as const) {
    if ([...added[state], ...WORDS[state]].some((known) => normalise(known) === plain)) return state;
  }
  return undefined;
}

/** True for two spellings of one status word. */
export function isSameWord(left: string, right: string): boolean {
  return normalise(left) === normalise(right);
}

/** Case, accents and separators do not matter: `Não encontrado` is `NAO_ENCONTRADO`. */
function normalise(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

function nestedNames(names: readonly string[]): string[] {
  return NESTED.flatMap((prefix) => names.map((name) => prefix + name));
}

/** True when `value` looks like a record at all; an empty object says nothing about a refresh. */
export function hasStatusRecord(body: unknown): boolean {
  const record = readRecord(body);
  return isJsonObject(record) && Object.keys(record).length > 0;
}
