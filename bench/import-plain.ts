/** What a careful backend would write without tramita: fetch a page, upsert its rows in one statement, follow the link. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../src/store/index.js';

interface Page {
  readonly data: {
    readonly items: readonly Readonly<Record<string, unknown>>[];
    readonly links: { readonly next?: { readonly href: string } };
  };
}

export async function createPlainTable(db: Database): Promise<void> {
  await sql`
    create table if not exists plain_case (
      oab text not null, cnj text not null, data jsonb not null, data_hash text not null, primary key (oab, cnj)
    )`.execute(db);
}

/** Returns the number of pages that it has read. */
export async function importPlainly(
  db: Database,
  { url, oab, pageSize }: { readonly url: string; readonly oab: string; readonly pageSize: number },
): Promise<number> {
  const [estado = '', numero = ''] = oab.split(':');
  const query = new URLSearchParams({ oab_numero: numero, oab_estado: estado, limit: String(pageSize) });
  let next: string | undefined = `${url}/v1/advogados/processos?${query.toString()}`;
  let pages = 0;
  while (next !== undefined) {
    const answer: Response = await fetch(next, { headers: { 'x-api-key': 'sandbox-key' } });
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    const { data } = (await answer.json()) as Page;
    await upsert(db, oab, data.items);
    pages += 1;
    next = data.links.next?.href;
  }
  return pages;
}

async function upsert(db: Database, oab: string, items: Page['data']['items']): Promise<void> {
  const rows = items.map((data) => ({
    cnj: String(data['numeroCnj']).replace(/\D/g, ''),
    data,
    data_hash: createHash('sha256').update(JSON.stringify(data)).digest('hex'),
  }));
  await sql`
    insert into plain_case as kept (oab, cnj, data, data_hash)
    select ${oab}, cnj, data, data_hash
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as page (cnj text, data jsonb, data_hash text)
    on conflict (oab, cnj) do update set data = excluded.data, data_hash = excluded.data_hash
    where kept.data_hash <> excluded.data_hash`.execute(db);
}
