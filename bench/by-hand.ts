/**
 * The durable steps of a charged call written by hand, and nothing else: the baseline with which `bench:journal` compares
 * ours. A row and its commit, a line of a journal on the disk, the request, then at once the answer as a file on the disk
 * (and its folder), the row's final state with the answer's bytes, and its facts. No limits of the account, no search for
 * equal calls, no locks, no check for a restored database, no judgement of the answer: a backend like this pays twice as
 * soon as something fails.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Pool } from 'pg';
import { syncDirectory, writeWhole } from '../src/ledger/journal/durable-file.js';

export interface ByHand {
  readonly call: (cnj: string) => Promise<void>;
  /** The request alone; nothing is stored. */
  readonly ask: (cnj: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const TABLES = `
create schema by_hand;
create table by_hand.intent (id uuid primary key, key text unique not null, state text not null, request jsonb not null,
  opened_at timestamptz not null default now(), body_sha256 text);
create index on by_hand.intent (state);
create table by_hand.transition (id uuid, seq int, state text not null, at timestamptz not null default now(),
  primary key (id, seq));
create table by_hand.body (sha256 text primary key, bytes bytea not null);
create table by_hand.fact (cnj text primary key, data jsonb not null)`;

const OPEN = `with opened as (
    insert into by_hand.intent (id, key, state, request) values ($1, $2, 'open', $3) on conflict do nothing returning id)
  insert into by_hand.transition (id, seq, state) select id, 1, 'open' from opened`;
const SETTLE = `with body as (insert into by_hand.body values ($2, $3) on conflict do nothing),
    ended as (insert into by_hand.transition (id, seq, state) values ($1, 2, 'done'))
  update by_hand.intent set state = 'done', body_sha256 = $2 where id = $1 and state = 'open'`;
const REMEMBER = `insert into by_hand.fact values ($1, $2) on conflict (cnj) do update set data = excluded.data`;

export async function openByHand(at: {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly port: number;
}): Promise<ByHand> {
  const pool = new Pool({ connectionString: at.databaseUrl, max: 10 });
  // A connection that is being closed may report that the server stops.
  pool.on('error', () => undefined);
  await pool.query(TABLES);
  const spool = join(at.folder, 'by-hand');
  mkdirSync(spool);
  const journal = await open(join(at.folder, 'by-hand.jsonl'), 'a');
  const note = shareWrites(async (lines) => {
    await journal.appendFile(lines.join(''));
    await journal.datasync();
  });

  const keep = async (id: string, answer: Buffer): Promise<void> => {
    const file = join(spool, id);
    await writeWhole(`${file}.partial`, answer, () => rename(`${file}.partial`, file));
    await syncDirectory(spool);
  };

  const ask = (cnj: string): Promise<Buffer> => get(at.port, `/v1/processos/${cnj}`);

  return {
    ask: async (cnj) => {
      await ask(cnj);
    },
    call: async (cnj) => {
      const id = randomUUID();
      const order = JSON.stringify({ id, operation: 'getCase', cnj });
      await pool.query({ name: 'open', text: OPEN, values: [id, `getCase/${cnj}`, order] });
      await note(`${order}\n`);
      const answer = await ask(cnj);
      const sha256 = createHash('sha256').update(answer).digest('hex');
      await Promise.all([
        keep(id, answer),
        pool.query({ name: 'settle', text: SETTLE, values: [id, sha256, answer] }),
        pool.query({ name: 'remember', text: REMEMBER, values: [cnj, answer.toString('utf8')] }),
      ]);
    },
    close: async () => {
      await Promise.all([pool.end(), journal.close()]);
    },
  };
}

/** Callers that arrive during a write share the next one. */
function shareWrites(write: (lines: readonly string[]) => Promise<void>): (line: string) => Promise<void> {
  let lines: string[] = [];
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  return (line) => {
    lines.push(line);
    next ??= running.then(() => {
      const batch = lines;
      [lines, next] = [[], undefined];
      return (running = write(batch));
    });
    return next;
  };
}

function get(port: number, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    })
      .on('error', reject)
      .end();
  });
}
