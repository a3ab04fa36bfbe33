/** Writes people and their cases into every table that may hold personal data. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { formatCnj, formatCpf } from '../../src/contract/index.js';
import type { Flows } from '../../src/privacy/index.js';
import { TABLE_PLACES } from '../../src/privacy/places.js';
import { makeMonthsOf, type Database } from '../../src/store/index.js';

export interface Planted {
  readonly cnj: string;
  readonly cpf: string;
  readonly nome: string;
  readonly oab: string;
  readonly lawyer: string;
}

/** What stands for a subject, or for a case in an id, under the id key of these tests. */
export const token = (kind: string, value: unknown): string =>
  createHmac('sha256', 'test')
    .update(JSON.stringify([kind, value]))
    .digest('base64url')
    .slice(0, 32);

/** A namespace without flows. */
export const NO_FLOWS: Flows = {
  // eslint-disable-next-line @typescript-eslint/require-await -- nothing to wait for
  async *runs() {
    yield* [];
  },
  // eslint-disable-next-line @typescript-eslint/require-await -- nothing to wait for
  async *schedules() {
    yield* [];
  },
  end: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  removeSchedule: () => Promise.resolve(),
};

const CHECKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  legal_case: { origin: 'cover' },
  publication: { origin: 'gazette' },
  monitor: { kind: 'case' },
  portfolio_item: { state: 'done' },
  case_refresh: { state: 'done' },
};

/** JSON with the person, the lawyer and the case as the service writes them, and the name once inside a text. */
function recordOf({ cnj, cpf, nome, oab, lawyer }: Planted): Readonly<Record<string, unknown>> {
  const [uf = '', numero = ''] = oab.split(':');
  return {
    numero_cnj: formatCnj(cnj),
    titulo: `${nome.toUpperCase()} x Fazenda`,
    envolvidos: [
      {
        nome,
        cpf: formatCpf(cpf),
        advogados: [{ nome: lawyer, oabs: [{ numero: Number(numero), uf }], oab: `${numero}/${uf}` }],
      },
    ],
  };
}

/** Inserts a row into every table for each person. The settled ledger rows share one answer that lists all of them. */
export async function plant(db: Database, people: readonly Planted[]): Promise<void> {
  await makeMonthsOf(db, 'intent_archive', [Date.now()]);
  const body = Buffer.from(JSON.stringify({ processos: people.map(recordOf) }));
  const sha256 = createHash('sha256').update(body).digest('hex');
  await sql`insert into tramita.answer_body (sha256, content_type, stored_at) values (${sha256}, 'application/json', now())`.execute(
    db,
  );
  await sql`insert into tramita.answer_bytes (stored_at, sha256, bytes)
    select stored_at, sha256, ${body} from tramita.answer_body where sha256 = ${sha256}`.execute(db);
  for (const person of people) {
    const round = `default/list/once/${randomUUID()}`;
    await sql`insert into tramita.portfolio_round (round, account, list, started_at) values (${round}, 'default', 'list', now())`.execute(
      db,
    );
    for (const { table, columns } of TABLE_PLACES) {
      if (['answer_body', 'answer_bytes', 'portfolio_round', 'spend_budget', 'erasure'].includes(table)) continue;
      const values: Record<string, unknown> = { ...CHECKED[table] };
      for (const [column, form] of Object.entries(columns)) values[column] = valueFor(person, column, form, table);
      if (table === 'portfolio_item') values['round'] = round;
      if (table === 'event') values['body_sha256'] = randomUUID();
      if (table === 'access_log') values['by_whom'] = 'ana';
      if (table.startsWith('intent')) {
        Object.assign(values, {
          state: 'done',
          body_sha256: sha256,
          http_status: 200,
          charged: 5_000,
          amount_source: 'told',
          ordinal: 1,
          first_run_id: randomUUID(),
        });
        Object.assign(values, {
          reserved: 0,
          webhook_expected: false,
          flags: [],
          locks: '{1,2}',
          budget_key: null,
          account: 'default',
        });
        if (table === 'intent_archive')
          Object.assign(values, { seq: 1_000_000 + Math.floor(Math.random() * 1e6), running_seen: false });
      }
      await insertRow(db, table, values);
    }
  }
}

function valueFor(person: Planted, column: string, form: string, table: string): unknown {
  if (form === 'json') return JSON.stringify(recordOf(person));
  if (form === 'bytes') return Buffer.from(JSON.stringify({ id: 'x', data: recordOf(person) }));
  if (form === 'texts') return [`cnj:${person.cnj}`, `oab:${person.oab}`];
  if (column === 'cnj' || column === 'row_key') return person.cnj;
  if (column === 'oab') return person.oab;
  if (column === 'workflow_id') return `case.default.${person.cnj}`;
  if (column === 'key') return `cnj:${person.cnj}`;
  if (['round', 'list', 'budget_key', 'step'].includes(column)) return 'x';
  if (['notice_id', 'publication_id', 'precatorio_id', 'source_key', 'event_key', 'event_id'].includes(column))
    return randomUUID();
  return table === 'access_log'
    ? 'a request'
    : `${person.nome}, CPF ${person.cpf}, ${formatCnj(person.cnj)}, OAB/${person.oab.replace(':', ' ')}`;
}

const SAMPLES: Readonly<Record<string, () => unknown>> = {
  text: () => 'default',
  uuid: () => randomUUID(),
  bigint: () => 1,
  integer: () => 1,
  smallint: () => 1,
  boolean: () => false,
  date: () => '2026-11-01',
  jsonb: () => '{}',
  'timestamp with time zone': () => new Date(),
};

/** Required columns without a given value get a sample of their type. */
async function insertRow(db: Database, table: string, given: Readonly<Record<string, unknown>>): Promise<void> {
  const { rows } = await sql<{ readonly name: string; readonly type: string; readonly needed: boolean }>`
    select column_name as name, data_type as type, is_nullable = 'NO' and column_default is null and is_identity = 'NO' as needed
    from information_schema.columns where table_schema = 'tramita' and table_name = ${table}`.execute(db);
  const values = { ...given };
  for (const { name, type, needed } of rows) if (needed && !(name in values)) values[name] = SAMPLES[type]?.();
  const names = Object.keys(values);
  await sql`insert into ${sql.table(`tramita.${table}`)} (${sql.join(names.map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(values))}) on conflict do nothing`.execute(db);
}

/** Everything in the database as text, table by table. */
export async function dumpOf(db: Database): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'tramita' and table_type = 'BASE TABLE' order by 1`.execute(db);
  const dump: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: lines } = await sql<{ readonly line: string }>`
      select row_to_json(t)::text as line from ${sql.table(`tramita.${name}`)} as t`.execute(db);
    // Bytes are hexadecimal in JSON.
    dump[name] = lines
      .map(({ line }) =>
        line.replace(/\\\\x((?:[0-9a-f]{2})+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('utf8')),
      )
      .join('\n');
  }
  return dump;
}
