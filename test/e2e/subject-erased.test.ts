/**
 * A person and a case with data in every place are erased by a command that is killed with SIGKILL ten times and run again.
 * The stack is real: flows on the sandbox with encrypted histories, answers on the worker's disk, bought files.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sql } from 'kysely';
import { formatCnj, formatCpf } from '../../src/contract/index.js';
import { cnjKey } from '../../src/inbox/index.js';
import { packageRoot } from '../../src/local/index.js';
import { TABLE_PLACES } from '../../src/privacy/places.js';
import { startReadCase, startRefreshCase } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCasesWithoutNamesakes } from '../support/case-number.js';
import { OTHER_PLACES } from '../support/places.js';
import { dumpOf } from '../support/plant-subject.js';
import { KILLS, subjectCommand } from './subject-command.js';

const SCHEMA = join(packageRoot(), 'src', 'privacy', 'subject-export-1.schema.json');
const NAMESPACE = `subject-${randomBytes(4).toString('hex')}`;

interface Source {
  readonly envolvidos: readonly Person[];
}

interface Schema {
  readonly $defs: { readonly held: { readonly properties: { readonly place: { readonly enum: readonly string[] } } } };
}

interface Person {
  readonly nome: string;
  readonly cpf: string;
}

describe('the erasure of a subject by a command that is killed', () => {
  const flows = withFlows({
    namespace: NAMESPACE,
    payloadKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  });

  const { tramita, find, eraseKilled, requester } = subjectCommand(flows, NAMESPACE);

  const readWhole = async (cnj: string): Promise<Person> => {
    await (await startRefreshCase(flows.deps, { cnj, documents: true, webhook: false })).result();
    const started = await startReadCase(flows.deps, { cnj, include: ['cover', 'movements', 'documents', 'summary'] });
    const { cover } = await started.result().catch(async () => {
      const again = await startReadCase(flows.deps, { cnj, include: ['cover', 'movements', 'documents'] });
      return again.result();
    });
    const sources = JSON.parse(JSON.stringify(cover?.['fontes'] ?? [])) as readonly Source[];
    const person = sources[0]?.envolvidos[0];
    if (person === undefined) throw new Error('the cover has no party');
    return person;
  };

  const filesOf = async (): Promise<string> => {
    const folder = flows.env['TRAMITA_FILES_DIR'] ?? '';
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const texts = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
    return files.map((entry, at) => `${entry.name}\n${texts[at] ?? ''}`).join('\n');
  };

  const historiesOf = async (): Promise<string> => {
    let all = '';
    for await (const { workflowId, runId, raw } of flows.client.workflow.list()) {
      const history = await flows.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const codecs = flows.client.options.loadedDataConverter.payloadCodecs;
      const payloads: object[] = [];
      const text = JSON.stringify([workflowId, raw, history], (_, value: unknown) => {
        if (typeof value === 'object' && value !== null && 'metadata' in value && 'data' in value) payloads.push(value);
        return value;
      });
      for (const codec of codecs) {
        for (const { data } of await codec.decode(payloads)) all += Buffer.from(data ?? []).toString('utf8');
      }
      all += text;
    }
    return all;
  };

  const everything = async (): Promise<Readonly<Record<string, string>>> => ({
    ...(await dumpOf(flows.database.db)),
    files: await filesOf(),
    temporal: await historiesOf(),
  });
  const traces = async (of: readonly string[]): Promise<readonly string[]> =>
    Object.entries(await everything()).flatMap(([place, text]) =>
      of.filter((needle) => text.includes(needle)).map((needle) => `${place}: ${needle}`),
    );
  const money = async (): Promise<unknown> =>
    (
      await sql`select intent_id, account, operation, subject, state, charged, amount_source, reserved, balance_after, opened_at,
        settled_at from tramita.intent_all order by intent_id`.execute(flows.database.db)
    ).rows;

  it('removes every trace of the subject, and keeps the amounts and the data of everyone else', async () => {
    const [mine, other] = newCasesWithoutNamesakes();
    const [person, stranger] = [await readWhole(mine), await readWhole(other)];
    const { db } = flows.database;
    for (const [at, cnj] of [mine, other].entries()) {
      await sql`insert into tramita.portfolio_case (account, list, position, cnj) values ('default', 'all', ${at}, ${cnj})`.execute(
        db,
      );
    }
    const body = Buffer.from(JSON.stringify({ data: [{ nome: person.nome, cpf: formatCpf(person.cpf) }, stranger] }));
    await sql`with new as (insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, received_at)
        values ('default', 'e1', 'e1', 'novo', 'x', false, ${[cnjKey(mine), cnjKey(other)]}, now()) returning received_at, seq)
      insert into tramita.event_bytes (received_at, seq, bytes) select received_at, seq, ${body} from new`.execute(db);

    const paid = await money();
    const ofStranger = await traces([stranger.nome, stranger.cpf, other, formatCnj(other)]);

    // The person first: their cases and calls stay, without their personal data.
    const who = ['--cpf', formatCpf(person.cpf)];
    const held = await find(who);
    expect(Object.keys(held)).toEqual(expect.arrayContaining(['answers', 'cases', 'events', 'spool', 'flows']));
    const file = join(tmpdir(), `export-${randomUUID()}.json`);
    expect(await tramita(['export', ...who, ...requester, '--file', file])).toMatchObject({ code: 0, err: '' });
    const exported = JSON.parse(readFileSync(file, 'utf8')) as { readonly held: readonly { readonly place: string }[] };
    rmSync(file);
    const ajv = new Ajv2020({ strict: true });
    addFormats(ajv);
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema;
    expect([ajv.validate(schema, exported), ajv.errors]).toEqual([true, null]);
    // With `--file -` standard output gets the same export and nothing else.
    const plain = requester.filter((flag) => flag !== '--json');
    const printed = await tramita(['export', ...who, ...plain, '--file', '-']);
    expect(printed).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ items written\n$/) as string });
    expect((JSON.parse(printed.out) as typeof exported).held.length).toBe(exported.held.length);
    expect((await tramita(['export', ...who, ...requester, '--file', '-'])).code).toBe(2);
    const counted: Record<string, number> = {};
    for (const { place } of exported.held) counted[place] = (counted[place] ?? 0) + 1;
    expect(counted).toEqual(held);
    const places = [...new Set([...TABLE_PLACES.map(({ place }) => place), ...OTHER_PLACES])];
    expect(schema.$defs.held.properties.place.enum).toEqual(places);

    const erased = await eraseKilled(who);
    expect(erased).toEqual({ kills: KILLS, complete: true });
    expect(await find(who)).toEqual({});
    expect(await traces([person.nome, person.cpf, formatCpf(person.cpf)])).toEqual([]);

    // Then the case, with a flow that still waits.
    const waiting = await startRefreshCase(flows.deps, { cnj: mine, webhook: true, maxAge: '0s' });
    await flows.waiting(waiting.workflowId, /webhook/);
    const refused = await tramita(['erase', '--cnj', mine, ...requester, '--yes']);
    expect([refused.code, refused.out]).toEqual([3, expect.stringContaining(waiting.workflowId)]);
    const all = await money();
    expect(await eraseKilled(['--cnj', mine])).toEqual({ kills: KILLS, complete: true });
    expect(await find(['--cnj', mine])).toEqual({});
    expect(await traces([mine, formatCnj(mine)])).toEqual([]);

    expect((await money()) as unknown[]).toHaveLength((all as unknown[]).length);
    expect(await money()).toEqual(expect.arrayContaining(paid as unknown[]));
    expect(await traces([stranger.nome, stranger.cpf, other, formatCnj(other)])).toEqual(ofStranger);

    // `--again` repeats all erasures, as after a restore. One that cannot be done does not stop the others.
    expect((await tramita(['erase', '--cnj', other, ...requester, '--yes'])).code).toBe(0);
    const running = await startRefreshCase(flows.deps, { cnj: mine, webhook: true, maxAge: '0s' });
    await flows.waiting(running.workflowId, /webhook/);
    const again = await tramita(['erase', '--again', ...requester, '--yes']);
    const results = JSON.parse(again.out) as readonly { readonly kind: string; readonly workflowIds?: unknown }[];
    expect([again.code, results.map(({ kind }) => kind).sort()]).toEqual([3, ['erased', 'erased', 'running']]);
    expect(results).toContainEqual(expect.objectContaining({ kind: 'running', workflowIds: [running.workflowId] }));
    expect(await tramita(['erase', '--again', ...requester, '--yes', '--cancel'])).toMatchObject({ code: 0 });
    // Thirty commands run one after another, and each erasure waits until the worker has cleared its disk.
  }, 900_000);
});
