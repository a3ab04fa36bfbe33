/** The places of `tramita subject` against the schema: a column with text is searched or named as harmless. */
import { sql } from 'kysely';
import { TABLE_PLACES } from '../../src/privacy/places.js';
import { withDatabase } from '../support/database.js';
import { HARMLESS } from '../support/places.js';

const FORMS: Readonly<Record<string, string>> = { text: 'text', ARRAY: 'texts', jsonb: 'json', bytea: 'bytes' };

describe('the places of personal data', () => {
  const database = withDatabase();

  it('are all columns with text, except those that are named as harmless', async () => {
    const { rows } = await sql<{ readonly table: string; readonly column: string; readonly type: string }>`
      select c.table_name as table, c.column_name as column, c.data_type as type
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'tramita' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'ARRAY', 'jsonb', 'bytea')
        and c.udt_name <> '_int8' and c.table_name !~ '_([0-9]{6}|default)$'
      order by 1, 2`.execute(database.db);
    const inSchema = rows.map(({ table, column, type }) => `${table}.${column} ${FORMS[type] ?? type}`);
    const searched = TABLE_PLACES.flatMap(({ table, columns }) =>
      Object.entries(columns).map(([column, form]) => `${table}.${column} ${form}`),
    );
    const harmless = Object.entries(HARMLESS).flatMap(([table, columns]) =>
      columns.map((column) => `${table}.${column}`),
    );
    const left = inSchema.filter((place) => !searched.includes(place));
    expect(left.map((place) => place.replace(/ .*/, '')).sort()).toEqual([...harmless].sort());
    expect(searched.filter((place) => !inSchema.includes(place))).toEqual([]);
  });

  it('have the primary keys of their tables', async () => {
    const { rows } = await sql<{ readonly table: string; readonly key: readonly string[] }>`
      select c.relname as table, array_agg(a.attname::text order by array_position(i.indkey::int[], a.attnum::int)) as key
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indisprimary and c.relnamespace = 'tramita'::regnamespace group by 1`.execute(database.db);
    const keys = Object.fromEntries(rows.map(({ table, key }) => [table, [...key].sort()]));
    for (const { table, key } of TABLE_PLACES.filter((place) => place.table !== 'event')) {
      expect([table, [...key].sort()]).toEqual([table, keys[table]]);
    }
  });
});
