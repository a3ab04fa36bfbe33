/**
 * Every place where a person or a case can be. `tramita subject` searches exactly these, and a test compares them with the
 * schema: a new column of text, JSON or bytes is either in a place or named as harmless. docs/privacy.md says what each table
 * holds. Data, no I/O.
 */

/** How a column is searched. `texts` is a list of texts. */
export type ColumnForm = 'text' | 'texts' | 'json' | 'bytes';

export interface TablePlace {
  /** What `find` and `export` call it. */
  readonly place: string;
  /** In the schema `tramita`. */
  readonly table: string;
  /** Its primary key, in order: rows are read and changed by it. */
  readonly key: readonly string[];
  /**
   * A row with a column `cnj` or `oab` is about that case or lawyer as a whole, and is deleted with it. If its `oabs` names other
   * lawyers too, the row stays theirs, and only this lawyer is taken out.
   */
  readonly columns: Readonly<Record<string, ColumnForm>>;
  /**
   * - `replace`: number and names become a token, the row stays.
   * - `delete`: the row is deleted if anything in it matches.
   */
  readonly erase: 'replace' | 'delete';
}

const RECORD = { data: 'json' } as const;
const INTENT = {
  workflow_id: 'text',
  step: 'text',
  once: 'text',
  budget_key: 'text',
  reason: 'text',
  evidence: 'json',
  waiter_keys: 'texts',
} as const;

export const TABLE_PLACES: readonly TablePlace[] = [
  { place: 'answers', table: 'answer_body', key: ['sha256'], erase: 'replace', columns: { bytes: 'bytes' } },
  {
    place: 'answers',
    table: 'answer_bytes',
    key: ['stored_at', 'sha256'],
    erase: 'replace',
    columns: { bytes: 'bytes' },
  },
  {
    place: 'events',
    table: 'event',
    key: ['seq'],
    erase: 'replace',
    columns: { event_key: 'text', event_id: 'text', delivery_id: 'text', event: 'text', keys: 'texts', body: 'bytes' },
  },
  { place: 'events', table: 'event_bytes', key: ['received_at', 'seq'], erase: 'replace', columns: { bytes: 'bytes' } },
  {
    place: 'cases',
    table: 'legal_case',
    key: ['account', 'cnj', 'origin'],
    erase: 'replace',
    columns: { cnj: 'text', subject: 'text', judging_body: 'text', status: 'text', ...RECORD },
  },
  {
    place: 'cases',
    table: 'case_source',
    key: ['account', 'cnj', 'source_key'],
    erase: 'replace',
    columns: { cnj: 'text', source_key: 'text', name: 'text', ...RECORD },
  },
  { place: 'cases', table: 'sealed_case', key: ['account', 'cnj'], erase: 'delete', columns: { cnj: 'text' } },
  {
    place: 'movements',
    table: 'movement',
    key: ['account', 'cnj', 'movement_key'],
    erase: 'replace',
    columns: { cnj: 'text', kind: 'text', category: 'text', source: 'text', ...RECORD },
  },
  {
    place: 'summaries',
    table: 'case_summary',
    key: ['account', 'cnj'],
    erase: 'replace',
    columns: { cnj: 'text', text: 'text', ...RECORD },
  },
  {
    place: 'documents',
    table: 'public_document',
    key: ['account', 'cnj', 'document_id'],
    erase: 'replace',
    columns: { cnj: 'text', title: 'text', type: 'text', ...RECORD },
  },
  { place: 'refreshes', table: 'case_refresh', key: ['account', 'cnj'], erase: 'delete', columns: { cnj: 'text' } },
  {
    place: 'publications',
    table: 'publication',
    key: ['account', 'origin', 'publication_id'],
    erase: 'replace',
    columns: { publication_id: 'text', cnj: 'text', kind: 'text', title: 'text', ...RECORD },
  },
  {
    place: 'precatorios',
    table: 'precatorio',
    key: ['account', 'mode', 'precatorio_id'],
    erase: 'replace',
    columns: { precatorio_id: 'text', number: 'text', cnj: 'text', debtor: 'text', situation: 'text', ...RECORD },
  },
  {
    place: 'search hits',
    table: 'search_hit',
    key: ['account', 'hit_key'],
    erase: 'replace',
    columns: { cnj: 'text', kind: 'text', title: 'text', ...RECORD },
  },
  {
    place: 'notices',
    table: 'notice',
    key: ['account', 'notice_id'],
    erase: 'replace',
    columns: {
      notice_id: 'text',
      oab: 'text',
      oabs: 'texts',
      asked_for: 'texts',
      cnj: 'text',
      publication_id: 'text',
      full_text: 'json',
      ...RECORD,
    },
  },
  { place: 'notices', table: 'notice_watermark', key: ['account', 'oab'], erase: 'delete', columns: { oab: 'text' } },
  {
    place: 'lawyer lists',
    table: 'lawyer_collection',
    key: ['account', 'oab'],
    erase: 'delete',
    columns: { oab: 'text' },
  },
  {
    place: 'lawyer lists',
    table: 'lawyer_case',
    key: ['set_id', 'row_key'],
    erase: 'replace',
    columns: { row_key: 'text', cnj: 'text', classification: 'text', ...RECORD },
  },
  {
    place: 'lawyer lists',
    table: 'lawyer_page',
    key: ['set_id', 'target_hash'],
    erase: 'delete',
    columns: { target_hash: 'text' },
  },
  {
    place: 'monitors',
    table: 'monitor',
    key: ['account', 'kind', 'monitor_id'],
    erase: 'replace',
    columns: { reference: 'text', ...RECORD },
  },
  {
    place: 'portfolios',
    table: 'portfolio_case',
    key: ['account', 'list', 'cnj'],
    erase: 'delete',
    columns: { list: 'text', cnj: 'text' },
  },
  {
    place: 'portfolios',
    table: 'portfolio_item',
    key: ['round', 'cnj'],
    erase: 'delete',
    columns: { round: 'text', cnj: 'text', workflow_id: 'text', reason: 'text' },
  },
  {
    place: 'portfolios',
    table: 'portfolio_round',
    key: ['round'],
    erase: 'delete',
    columns: { round: 'text', list: 'text' },
  },
  {
    place: 'waiters',
    table: 'waiter',
    key: ['workflow_id', 'key', 'intent_id'],
    erase: 'delete',
    columns: { workflow_id: 'text', key: 'text' },
  },
  {
    place: 'wakes',
    table: 'event_wake',
    key: ['event_key', 'workflow_id'],
    erase: 'delete',
    columns: { event_key: 'text', workflow_id: 'text' },
  },
  {
    place: 'ledger',
    table: 'listing_snapshot',
    key: ['workflow_id', 'first_run_id', 'step'],
    erase: 'delete',
    columns: { workflow_id: 'text', step: 'text', ids: 'json' },
  },
  { place: 'ledger', table: 'settlement_conflict', key: ['seq'], erase: 'replace', columns: { settlement: 'json' } },
  {
    place: 'ledger',
    table: 'spend_budget',
    key: ['budget_key', 'lane'],
    erase: 'replace',
    columns: { budget_key: 'text' },
  },
  { place: 'ledger', table: 'notice_plan', key: ['account', 'once'], erase: 'replace', columns: { once: 'text' } },
  { place: 'ledger', table: 'import_end', key: ['account', 'once'], erase: 'replace', columns: { once: 'text' } },
  { place: 'access log', table: 'access_log', key: ['seq'], erase: 'replace', columns: { reason: 'text' } },
  { place: 'access log', table: 'erasure', key: ['erasure_id'], erase: 'replace', columns: { reason: 'text' } },
  { place: 'ledger', table: 'intent', key: ['intent_id'], erase: 'replace', columns: INTENT },
  { place: 'ledger', table: 'intent_archive', key: ['intent_id', 'opened_at'], erase: 'replace', columns: INTENT },
];
