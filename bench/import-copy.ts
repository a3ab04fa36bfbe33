/**
 * What an import would do that staged its pages by COPY instead of a statement: the same rows, hashes and fence, each page
 * in one message and one transaction. It could not handle a case that appears on two pages.
 */
import { hash, randomUUID } from 'node:crypto';
import { Query, type Client } from 'pg';
import type { LawyerCase } from '../src/contract/index.js';

/** Writes rows of `copied` and `copied_page`, tables like those of the import. */
export async function copyPages(client: Client, pages: readonly (readonly LawyerCase[])[]): Promise<void> {
  const setId = randomUUID();
  for (const [page, records] of pages.entries()) {
    const rows = records.map(rowOf);
    const fingerprint = hash('sha256', JSON.stringify(rows.map(({ key, dataHash }) => `${key} ${dataHash}`).sort()));
    const text = `begin;
      set local statement_timeout = 5000;
      select pg_advisory_xact_lock(1);
      insert into copied_page (set_id, target_hash, page, fingerprint)
      values ('${setId}', 'page ${page}', ${page}, '${fingerprint}');
      copy copied (set_id, row_key, cnj, classification, court, last_publication_on, sensitivity, data, data_hash) from stdin;
      commit`;
    const lines = rows.map(({ key, dataHash, columns }) => [setId, key, ...columns, dataHash].map(cell).join('\t'));
    await copyIn(client, text, `${lines.join('\n')}\n`);
  }
}

function rowOf({ cnj, classification, court, lastPublicationOn, sensitivity, data: record }: LawyerCase) {
  const data = JSON.stringify(record);
  const dataHash = hash('sha256', data);
  const columns = [cnj, classification, court, lastPublicationOn, sensitivity, data];
  return { key: cnj ?? `sha256:${dataHash}`, dataHash, columns };
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function cell(value: string | null): string {
  return value?.replace(/[\\\t\n\r]/g, (character) => ESCAPED[character] ?? '') ?? '\\N';
}

/** Methods of the connection of `pg` that its types lack. */
interface CopyTarget {
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
}

/** By itself, `pg` answers COPY with an error; this query's handler sends the rows. */
function copyIn(client: Client, text: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new Query({ text }, [], (error) => {
      if (error) reject(error);
      else resolve();
    });
    const handleCopyInResponse = (connection: CopyTarget): void => {
      connection.sendCopyFromChunk(Buffer.from(rows));
      connection.endCopyFrom();
    };
    client.query(Object.assign(query, { handleCopyInResponse }));
  });
}
