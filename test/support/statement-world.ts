/** A month of calls, what the service really charged, and its statement as CSV, beside what the ledger knows. */
import { createHash } from 'node:crypto';
import { callOf, type Call } from '../../src/cli/match/call.js';
import type { StatementForm } from '../../src/cli/match/statement.js';
import { formatAmount, OPERATIONS, withExtraOperations, type Amount } from '../../src/contract/index.js';
import { BLANK_INTENT, type Intent } from '../../src/ledger/intent.js';

export interface WorldOptions {
  readonly seed: number;
  readonly days: number;
  readonly known: number;
  readonly unknown: number;
  readonly foreign: number;
  readonly differing: number;
  /** The statement has ids. */
  readonly ids?: boolean;
  readonly debitAt?: 'answer' | 'completion' | 'unknown';
  /** When the statement is read; by default the day after its last call. */
  readonly nowMs?: number;
  /** What the ledger knows of the calls that are undecided; by default they are unknown. */
  readonly undecided?: Partial<Intent>;
}

export interface Row {
  readonly atMs: number;
  readonly amount: number;
  readonly label: string;
  readonly logId: string;
  readonly requestId: string;
  /** The ledger row of the charge; undefined for a charge that is not ours. */
  readonly intentId?: string;
  readonly operation: string;
}

export interface World {
  readonly calls: readonly Call[];
  readonly rows: readonly Row[];
  /** Undecided calls that were really charged. */
  readonly charged: ReadonlySet<string>;
  readonly differing: ReadonlySet<string>;
}

/** Prices below the cent, as the service has them. */
const KINDS = [
  { operation: 'requestRefresh', label: 'Atualização de processo', price: 1_200 },
  { operation: 'getCase', label: 'Consulta de processo; capa', price: 500 },
  { operation: 'listPublicDocuments', label: 'Documentos "públicos"', price: 2_000 },
  { operation: 'listCasesByDocument', label: 'Processos por documento', price: 1_444 },
] as const;
const START_MS = Date.parse('2026-03-01T03:00:00Z');
const DAY_MS = 86_400_000;
const CATALOGUE = withExtraOperations(OPERATIONS, []);

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function makeWorld(options: WorldOptions): World {
  const { days, known, unknown, foreign, differing, debitAt = 'answer', nowMs, undecided } = options;
  const random = randomFrom(options.seed);
  const uuid = (kind: string, index: number): string => {
    const hex = createHash('sha256').update(`${kind} ${index} ${options.seed}`).digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  };
  const rows: Row[] = [];
  const intents: Intent[] = [];
  const charged = new Set<string>();
  const differs = new Set<string>();
  for (let index = 0; index < known + unknown + foreign; index += 1) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0];
    const openedAtMs = Math.floor(START_MS + random() * days * DAY_MS);
    // The service's clock is up to a minute off, and it books when it answers.
    const atMs = openedAtMs + Math.floor(random() * 45_000) + Math.floor((random() - 0.5) * 120_000);
    const [intentId, logId, requestId] = [uuid('intent', index), uuid('log', index), uuid('request', index)];
    const row = { atMs, amount: kind.price, label: kind.label, operation: kind.operation, logId, requestId };
    const blank = { ...BLANK_INTENT, intentId, operation: kind.operation, openedAtMs, reserved: kind.price as Amount };
    if (index < known) {
      const other = index < differing;
      if (other) differs.add(intentId);
      rows.push({ ...row, amount: other ? kind.price + 300 : kind.price, intentId });
      const answered = { charged: kind.price as Amount, searchLogId: logId, metaRequestId: requestId };
      intents.push({ ...blank, state: 'done', ...answered, reserved: 0 as Amount });
    } else if (index < known + unknown) {
      const isCharged = random() < 0.5;
      if (isCharged) {
        charged.add(intentId);
        rows.push({ ...row, intentId });
      }
      // The request id of an error may be known, whether it was charged or not.
      intents.push({ ...blank, state: 'unknown', metaRequestId: random() < 0.3 ? requestId : null, ...undecided });
    } else rows.push(row);
  }
  rows.sort((a, b) => a.atMs - b.atMs);
  const terms = {
    nowMs: nowMs ?? START_MS + (days + 1) * DAY_MS,
    debitAt,
    operationOf: (id: string) => (CATALOGUE.has(id) ? CATALOGUE.operationOf(id) : undefined),
  };
  return { rows, charged, differing: differs, calls: intents.map((intent) => callOf(intent, terms)) };
}

export const FORM: StatementForm = {
  columns: {
    time: ['Data', 'Hora'],
    amount: ['Valor (R$)'],
    operation: ['Serviço'],
    logId: ['Consumo'],
    requestId: ['Requisição'],
  },
  separator: ';',
  decimalComma: true,
  timeZone: 'America/Sao_Paulo',
};

/** As a Brazilian spreadsheet writes it; every description has a person's name. Line 1 is the header, row n is line n + 2. */
export function statementCsv(rows: readonly Row[], { ids = true } = {}): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map(({ atMs, amount, label, logId, requestId }) => {
    const local = new Date(atMs - 3 * 3_600_000).toISOString();
    const day = local.slice(0, 10).split('-').reverse().join('/');
    const cents = formatAmount(Math.round(amount / 100) * 100).replace('.', ',');
    const about = ['Descrição de Maria', label].join(' ');
    return [
      day,
      local.slice(11, 19),
      `R$ ${cents}`,
      quoted(label),
      quoted(about),
      ...(ids ? [logId, requestId.toUpperCase()] : ['', '']),
    ].join(';');
  });
  return `\uFEFF${['Data;Hora;Valor (R$);Serviço;Descrição;Consumo;Requisição', ...lines].join('\r\n')}\r\n`;
}
