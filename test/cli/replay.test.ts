/** `tramita replay` on ended and parked flows of a real server, in plaintext and encrypted. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runsOfFolder, runsOfNamespace } from '../../src/cli/with/kept-runs.js';
import { replayHistories, type ReplayedRun } from '../../src/workers/index.js';
import { exchanging } from '../flows/kept-bundle.js';
import { temporal, withFlows, type Flows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { runCommand, type CommandRun } from './run-command.js';

const KEPT = join(__dirname, '..', 'replay', 'histories');
const BREAKING = exchanging({ './flow/begin-flow.js$': join(__dirname, '..', 'flows', 'breaking-build.ts') });
const NEXT = exchanging({ './flow/begin-flow.js$': join(__dirname, '../../soak/rolling/next-build.ts') });

interface ReplayReport {
  readonly flows: readonly { readonly flow: string; readonly passed: number; readonly failed: number }[];
  readonly replayed: number;
  readonly failures: readonly { readonly workflowId: string; readonly message: string }[];
}

/** Runs one flow to its end and one until it is parked, and waits until the server lists both. */
async function runEndedAndParked(flows: Flows): Promise<void> {
  await (await flows.refresh({ cnj: newCase(), webhook: false })).result();
  // The answer is lost, and free evidence proves nothing.
  await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 503, body: 'gateway', times: 1_000 });
  await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
  const { workflowId } = await flows.refresh({ cnj: newCase(), webhook: false });
  await flows.parked(workflowId);
  await until(async () => (await flows.client.workflow.count("TramitaFlow = 'refreshCase'")).count === 2, {
    what: 'both to be listed',
  });
}

describe('tramita replay', () => {
  const namespace = `replay-${randomBytes(4).toString('hex')}`;
  const flows = withFlows({ namespace, asksAfterAMinute: true, payloadKeys: '' });
  const folder = temporaryFolder('replay');
  const replay = (...args: string[]): Promise<CommandRun> =>
    runCommand(['replay', ...args], { TEMPORAL_ADDRESS: temporal().address, TEMPORAL_NAMESPACE: namespace });
  const withBuild = async (build: typeof NEXT): Promise<readonly ReplayedRun[]> => {
    const options = { sinceMs: 0, flow: undefined, limit: 10, onCut: () => undefined };
    const replayed: ReplayedRun[] = [];
    const runs = runsOfNamespace(flows.client, options);
    for await (const run of replayHistories(temporal(''), runs, { bundlerOptions: build })) replayed.push(run);
    return replayed;
  };

  beforeAll(() => runEndedAndParked(flows));

  it('passes histories of this build, of running and ended flows', async () => {
    const { exitCode, out } = await replay();
    expect(out).toMatch(/^refreshCase +2 +0 +0$/m);
    expect(out).toContain('2 histories replay with this build');
    expect(exitCode).toBe(0);
  });

  it('reports histories that it left out, and refuses wrong filters', async () => {
    expect(await replay('--limit', '1')).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining('raise --limit') as string,
    });
    expect(await replay('--flow', 'searchBoard')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('no history') as string,
    });
    expect((await replay('--flow', 'refreshCases')).exitCode).toBe(2);
    expect((await replay('--since', 'yesterday')).exitCode).toBe(2);
  });

  it('passes a build with a guarded change, and fails a build with an unguarded one', async () => {
    expect((await withBuild(NEXT)).map(({ problem }) => problem)).toEqual([undefined, undefined]);
    const stopped = await withBuild(BREAKING);
    expect(stopped).toHaveLength(2);
    for (const { problem } of stopped) expect(problem).toContain('ondeterminism');
  });

  it('reads histories from files, and names those that fail, without personal numbers', async () => {
    const [name = ''] = readdirSync(KEPT).filter((each) => each.startsWith('refresh-webhook'));
    const kept = readFileSync(join(KEPT, name), 'utf8');
    writeFileSync(join(folder, 'good.json'), kept);
    const { history } = JSON.parse(kept) as { readonly history: unknown };
    writeFileSync(join(folder, 'as-temporal-prints-it.json'), JSON.stringify(history));
    expect(await replay('--file', folder)).toMatchObject({ exitCode: 0 });
    const bad = kept
      .replaceAll('"requestRefresh"', '"another 529.982.247-25"')
      .replace(/"workflowId": "[^"]*"/, '"workflowId": "cpf 529.982.247-25"');
    writeFileSync(join(folder, 'bad.json'), bad);
    const { exitCode, out, json } = await replay('--file', folder, '--json');
    expect(exitCode).toBe(1);
    const { failures, replayed } = json() as ReplayReport;
    expect(replayed).toBe(3);
    expect(failures).toEqual([
      expect.objectContaining({ workflowId: 'cpf 52…5', message: expect.stringContaining('ondeterminism') as string }),
    ]);
    expect(out).not.toContain('529.982');
    expect((await replay('--file', folder)).out).toContain('1 of 3 histories do not replay');
    writeFileSync(join(folder, 'bad.json'), '{"events": []}');
    expect(await replay('--file', folder)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('"bad.json" is not a history') as string,
    });
    const none = join(folder, 'none');
    expect((await replay('--file', none)).exitCode).toBe(2);
    // This fails when it is called, before anything is bundled.
    const options = { flow: undefined, limit: 1, onCut: () => undefined };
    await expect(runsOfFolder(none, options)).rejects.toThrow(/^tramita: --file: the folder .* cannot be read/);
  });
});

describe('tramita replay of encrypted histories', () => {
  const keys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
  const namespace = `replay-${randomBytes(4).toString('hex')}`;
  const flows = withFlows({ namespace, asksAfterAMinute: true, payloadKeys: keys });
  const replay = (more: Readonly<Record<string, string>>): Promise<CommandRun> =>
    runCommand(['replay'], { TEMPORAL_ADDRESS: temporal().address, TEMPORAL_NAMESPACE: namespace, ...more });

  beforeAll(() => runEndedAndParked(flows));

  it('passes with the keys, and names a missing key', async () => {
    expect(await replay({ TRAMITA_PAYLOAD_KEYS: keys })).toMatchObject({ exitCode: 0 });
    for (const without of [{}, { TRAMITA_PAYLOAD_KEYS: `k2:${Buffer.alloc(32, 8).toString('base64')}` }]) {
      const { exitCode, out } = await replay(without);
      expect(exitCode).toBe(1);
      expect(out).toContain('encrypted with the key "k1", which TRAMITA_PAYLOAD_KEYS does not have');
    }
  });
});
