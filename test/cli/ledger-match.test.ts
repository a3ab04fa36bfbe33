/** `tramita ledger match` on a real stack: a statement decides unknown charges, and none of its texts is printed. */
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Charge } from '../../sandbox/index.js';
import { packageRoot } from '../../src/local/index.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from '../flows/with-flows.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand, type CommandRun } from './run-command.js';

const HOUR_MS = 3_600_000;

describe('tramita ledger match', () => {
  const flows = withFlows({ account: { debitAt: 'answer' } });
  const folder = temporaryFolder('statement');
  const tramita = (...args: string[]): Promise<CommandRun> => runCommand(args, flows.env);
  const FORM = ['--separator', ';', '--decimal-comma', '--columns', 'time=Data', 'amount=Valor', 'operation=Serviço'];
  const IDS = ['logId=Consumo', 'requestId=Requisição'];
  const file = (text: string): string => {
    const path = join(folder, `${randomUUID()}.csv`);
    writeFileSync(path, text);
    return path;
  };

  /** By case: how many hours ago its calls were made, for the ledger and the statement. */
  const agoHours = new Map<string, number>();
  async function moveBack(hours: number, cnj: string, workflowId: string): Promise<string> {
    agoHours.set(cnj, hours);
    await sql`update tramita.intent set opened_at = opened_at - make_interval(hours => ${hours}),
      service_opened_at = service_opened_at - make_interval(hours => ${hours}),
      settled_at = settled_at - make_interval(hours => ${hours})
      where workflow_id = ${workflowId}`.execute(flows.database.db);
    return workflowId;
  }
  async function runPaidRefresh(hours: number): Promise<void> {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    await handle.result();
    await moveBack(hours, cnj, handle.workflowId);
  }
  const line = ({ at, amount, subject, searchLogId, metaRequestId }: Charge): string => {
    const ms = Date.parse(at) - ((agoHours.get(subject.cnj) ?? 0) + 3) * HOUR_MS;
    const local = new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
    return `${local};${(amount / 10_000).toFixed(4).replace('.', ',')};Atualização;"processo; Maria ${subject.cnj}";${searchLogId};${metaRequestId}`;
  };

  it('decides proven charges through their flows, leaves the others, and records the hash of the file', async () => {
    await runPaidRefresh(20);
    const free = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    const notCharged = (await flows.refresh({ cnj: free })).workflowId;
    await flows.parked(notCharged);
    await moveBack(18, free, notCharged);
    const lost = newCase();
    // The flow stays parked for a minute and a half, and its polls then meet the looks that are left.
    await flows.loseRefresh(lost, 4);
    const charged = (await flows.refresh({ cnj: lost })).workflowId;
    await flows.parked(charged);
    await moveBack(15, lost, charged);
    const doubtful = newCase();
    await flows.loseRefresh(doubtful);
    const ambiguous = (await flows.refresh({ cnj: doubtful })).workflowId;
    await flows.parked(ambiguous);
    await moveBack(12, doubtful, ambiguous);
    await runPaidRefresh(8);
    const charges = [...(await flows.charges())];
    expect(charges).toHaveLength(4);
    // The meta request id of an error may be known.
    const metaRequestId = charges.find(({ subject }) => subject.cnj === lost)?.metaRequestId ?? '';
    await sql`update tramita.intent set meta_request_id = ${metaRequestId} where workflow_id = ${charged}`.execute(
      flows.database.db,
    );
    const stranger = charges[0]?.at ?? '';
    const foreign = `${stranger.replace('T', ' ').slice(0, 19)};9,99;Pesquisa;José;${randomUUID()};${randomUUID()}`;
    const path = file(
      ['Data;Valor;Serviço;Descrição;Consumo;Requisição', ...charges.map(line), foreign]
        .join('\n')
        .replace(/\.\d+/g, ''),
    );

    const dry = await tramita('ledger', 'match', path, ...FORM, ...IDS, '--json');
    expect(dry.exitCode).toBe(3);
    const verdict = (workflowId: string, found: string, proposed: boolean): object =>
      expect.objectContaining({ workflowId, verdict: found, proposed }) as object;
    expect(dry.json()).toMatchObject({
      dryRun: true,
      rows: 5,
      paired: 3,
      charged: 1,
      notCharged: 1,
      ambiguous: 1,
      proposed: 2,
      problem: null,
      foreign: [{ line: 6, amount: '9.99' }],
      differences: [],
      missing: [],
    });
    expect((dry.json() as { charges: object[] }).charges).toEqual([
      verdict(notCharged, 'not-charged', true),
      verdict(charged, 'charged', true),
      verdict(ambiguous, 'ambiguous', false),
    ]);
    const text = await tramita('ledger', 'match', path, ...FORM, ...IDS);
    expect(text.out).toContain('1 charges that we did not make (9.99 together)');
    expect(text.out).toContain('others spend from the account, and the row can be theirs');
    expect(text.out).toMatch(/left to a person 1; proposed 2\nNothing was done/);
    expect(text.out + dry.out).not.toMatch(/Maria|José|Pesquisa|Atualiza/);
    expect((await flows.progress(notCharged)).state).toBe('parked');

    const done = await tramita('ledger', 'match', path, ...FORM, ...IDS, '--json', '--yes', '--by', 'ana');
    expect(done.exitCode).toBe(3);
    expect(done.json()).toMatchObject({ dryRun: false, decided: 2, failed: [] });
    for (const [workflowId, cnj] of [
      [notCharged, free],
      [charged, lost],
    ] as const) {
      expect(await flows.client.workflow.getHandle(workflowId).result()).toMatchObject({ cnj, status: 'done' });
      expect(await flows.charges({ cnj })).toHaveLength(1);
    }
    expect((await flows.progress(ambiguous)).state).toBe('parked');
    const sha256 = (dry.json() as { sha256: string }).sha256;
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    const { rows } = await sql<{ readonly note: string; readonly by: string }>`
      select evidence ->> 'note' as note, evidence ->> 'by' as by from tramita.intent
      where evidence ->> 'decision' is not null order by opened_at`.execute(flows.database.db);
    expect(rows).toEqual([
      { by: 'ana', note: `statement sha256 ${sha256}: no row can be this call` },
      { by: 'ana', note: expect.stringMatching(`statement sha256 ${sha256}, line \\d$`) as string },
    ]);
    await flows.client.workflow.getHandle(ambiguous).terminate();
  });

  it('reports amounts that differ and charges that are missing in the statement', async () => {
    await runPaidRefresh(30);
    await runPaidRefresh(28);
    await runPaidRefresh(26);
    const charges = (await flows.charges()).slice(-3).map(line);
    const rows = [charges[0], charges[2]?.replace(/;0,\d+;/, ';7,0000;')];
    const path = file(['Data;Valor;Serviço;Descrição;Consumo;Requisição', ...rows].join('\n'));
    const run = await tramita('ledger', 'match', path, ...FORM, ...IDS, '--json');
    expect(run.exitCode).toBe(3);
    expect(run.json()).toMatchObject({ differences: [{ statement: '7' }], missing: [{ operation: 'requestRefresh' }] });
  });

  const GOOD = 'time,amount\n2026-03-10,1';
  it.each([
    [['--yes'], '--by is missing'],
    [['--by', 'ana'], '--by goes with --yes'],
    [['--account', 'nobody'], 'there is no account "nobody"; configured: default'],
    [['--account', 'constructor'], 'there is no account "constructor"; configured: default'],
    [['--separator', 'ab'], '--separator: seen "ab"'],
    [['--time-zone', 'Mars'], '--time-zone: seen "Mars"'],
    [['--columns', 'colour=red'], '--columns: seen "colour=red"'],
    [['--columns', 'amount=Valor'], 'no column "Valor" for amount'],
  ])('%j is a usage error', async (args, problem) => {
    const run = await tramita('ledger', 'match', file(GOOD), ...args);
    expect([run.exitCode, run.err]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('names an unreadable line without its text, and reads a statement from standard input', async () => {
    const run = await tramita('ledger', 'match', file('time,amount\nMaria,1'));
    expect([run.exitCode, run.err]).toEqual([2, 'tramita: line 2: the time cannot be read\n']);
    expect((await tramita('ledger', 'match', join(folder, 'none.csv'))).err).toContain('cannot be read (ENOENT)');
    const statement = file('time,amount\n2026-03-10,1\n');
    const read = await tramita('ledger', 'match', statement, '--json');
    expect(read.json()).toMatchObject({
      sha256: createHash('sha256').update('time,amount\n2026-03-10,1\n').digest('hex'),
      dryRun: true,
      charges: [],
    });
    const { PATH = '', HOME = '' } = process.env;
    // A container has no place for a file, so the statement may come from standard input.
    const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
    const piped = spawnSync(process.execPath, [main, 'ledger', 'match', '-', '--json'], {
      env: { PATH, HOME, ...flows.env },
      input: 'time,amount\n2026-03-10,1\n',
      encoding: 'utf8',
    });
    expect(JSON.parse(piped.stdout)).toEqual(read.json());
  });
});
