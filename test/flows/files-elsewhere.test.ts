/**
 * Two workers with their own folders and one file store: a file that one worker buys can be read anywhere. The store is S3
 * (behind a proxy that can be cut) or a directory that each worker mounts at its own path. An outage of the store costs only
 * time.
 */
import { readdirSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { resolveConfig } from '../../src/config/index.js';
import { createFiles, type Files } from '../../src/files/index.js';
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import { startCallOperation } from '../../src/starters/index.js';
import { createProxy, type Proxy } from '../../soak/wire.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { describeWithS3 } from '../support/s3-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows, type Flows } from './with-flows.js';

type Env = Readonly<Record<string, string>>;

const root = temporaryFolder('elsewhere');

const folder = (name: string): string => join(root, name);
const filesOf = (flows: Flows, env: Env): Files =>
  createFiles(resolveConfig({ env: { ...flows.env, ...env, TRAMITA_FILES_DIR: folder('a third machine') } }));

/** The names of complete files that are still in a worker's own folder. */
function filesLeftIn(name: string): readonly string[] {
  return readdirSync(folder(name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name))
    .map((entry) => entry.name);
}

/** Waits until the folders are empty: a file that failed to upload is uploaded in the worker's next round. */
async function waitUntilEmpty(...names: readonly string[]): Promise<void> {
  await until(() => names.flatMap(filesLeftIn).length === 0, {
    what: `${names.join(', ')} to be empty`,
  });
}

async function isWhole(files: Files, stored: string | undefined): Promise<boolean> {
  const bytes = await files.open(stored ?? '');
  return bytes !== undefined && (await buffer(bytes)).includes('%PDF-');
}

async function buyAll(
  flows: Flows,
): Promise<{ readonly documents: RefreshCaseResult['documents']; readonly pdf: string }> {
  const refresh = await flows.refresh({ cnj: newCaseWithDocuments(), documents: true, download: true, webhook: false });
  const call = await startCallOperation(flows.deps, EDITION());
  const [{ documents }, { file }] = await Promise.all([refresh.result(), call.result()]);
  return { documents, pdf: file?.stored ?? '' };
}

let day = 10;
const EDITION = () => ({ operation: 'getElectoralEditionPdf', params: { id: `djee-rj-2026-03-${(day += 1)}` } });

describeWithS3('files of two workers in S3', (server) => {
  const flows = withFlows({ worker: false });
  let wire: Proxy;
  let env: Env;
  beforeAll(async () => {
    wire = await createProxy(server.address);
    flows.atEnd(() => wire.close());
    env = server.env(wire.address);
    for (const name of ['one', 'two']) await flows.startWorker({ ...env, TRAMITA_FILES_DIR: folder(name) });
  });

  it('have one name everywhere, can be read anywhere, and leave the disks of the workers', async () => {
    const { documents, pdf } = await buyAll(flows);
    expect(documents.length).toBeGreaterThan(0);
    const names = [...documents.map(({ stored }) => stored ?? ''), pdf];
    for (const name of names) expect(name).toMatch(/^s3:\/\/tramita-files\/court\/sha256\//);
    await waitUntilEmpty('one', 'two');
    const elsewhere = filesOf(flows, server.env());
    for (const name of names) expect([name, await isWhole(elsewhere, name)]).toEqual([name, true]);
    expect(await server.head(pdf.replace('s3://tramita-files/', ''))).toMatchObject({ type: 'application/pdf' });
    const rows = await flows.database.db
      .selectFrom('tramita.public_document')
      .select('stored')
      .where('stored', 'is not', null)
      .execute();
    expect(rows.map(({ stored }) => stored).sort()).toEqual(documents.map(({ stored }) => stored).sort());
  });

  it('wait for a store that is unreachable, and none is lost or bought twice', async () => {
    const before = (await flows.charges()).length;
    wire.lead(undefined);
    const refresh = await flows.refresh({
      cnj: newCaseWithDocuments(),
      documents: true,
      download: true,
      webhook: false,
    });
    const call = await startCallOperation(flows.deps, EDITION());
    await flows.waiting(call.workflowId, /^the file store$/);
    await flows.waiting(refresh.workflowId, / files$/);
    // Longer than one round, so that an attempt and a round of each worker fail to reach the store.
    const backAtMs = Date.now() + 8_000;
    await until(() => Date.now() > backAtMs && filesLeftIn('one').length + filesLeftIn('two').length > 0);
    for (const { workflowId } of [refresh, call]) {
      expect((await flows.client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
    }
    wire.lead(server.address);
    const [{ documents }, { file }] = await Promise.all([refresh.result(), call.result()]);
    const elsewhere = filesOf(flows, server.env());
    for (const { stored } of documents) expect(await isWhole(elsewhere, stored)).toBe(true);
    expect(await isWhole(elsewhere, file?.stored)).toBe(true);
    expect((await flows.charges()).length - before).toBe(3);
    expect(await auditFlows(flows)).toEqual([]);
  });
});

describe('files of two workers in a directory', () => {
  const flows = withFlows({ worker: false });
  beforeAll(async () => {
    mkdirSync(folder('shared'));
    for (const name of ['three', 'four']) {
      symlinkSync(folder('shared'), folder(`mounted-by-${name}`));
      const env = { TRAMITA_FILES: folder(`mounted-by-${name}`), TRAMITA_FILES_DIR: folder(name) };
      await flows.startWorker(env);
    }
  });

  it('can be read by the same name under another mount', async () => {
    const { documents, pdf } = await buyAll(flows);
    const names = [...documents.map(({ stored }) => stored), pdf];
    const elsewhere = filesOf(flows, { TRAMITA_FILES: folder('shared') });
    for (const name of names) {
      expect(name).toMatch(/^sha256\//);
      expect(await isWhole(elsewhere, name)).toBe(true);
    }
    await waitUntilEmpty('three', 'four');
  });
});
