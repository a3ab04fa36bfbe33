/**
 * The demonstration: one refresh of one case with documents and files on a running stack. What it prints is observed, not
 * assumed: the flow's own progress, the sandbox's request log, the files on disk, the ledger and the charge book.
 */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Client } from '@temporalio/client';
import { createStarterDeps, resolveConfig } from '../../config/index.js';
import { cnjDigits } from '../../contract/index.js';
import { createFiles, type Files } from '../../files/index.js';
import type { LocalStack } from '../../local/index.js';
import { DEFAULT_ACCOUNT, refreshCaseId, type DocumentResult, type RefreshCaseResult } from '../../protocol/index.js';
import { flowHandle, startRefreshCase, wakeFlow, type FlowHandle } from '../../starters/index.js';
import { failure, type CliError } from '../exit-codes.js';
import { failureText } from '../output/flow-failure.js';
import { DEMO_CNJ } from '../output/stack-lines.js';
import { parkedText, progressLine, waitForFlow } from '../wait-for-flow.js';
import { withClient } from '../with/with-client.js';
import { withDatabase } from '../with/with-database.js';
import { openLedger } from '../with/with-ledger.js';
import { compareCharges, type Comparison } from './compare-charges.js';
import { watchSandbox } from './watch-sandbox.js';

/** Deadline of the whole flow: the sandbox needs 3 s, its webhook and the worker a moment. */
const FLOW_WITHIN_MS = 90_000;
const PROGRESS_EVERY_MS = 200;

export interface DemoReport {
  readonly workflowId: string;
  readonly runId: string;
  /** Null if the stack does not know the UI of its server. */
  readonly runUrl: string | null;
  readonly documents: readonly DocumentResult[];
  readonly charges: Comparison;
  /** The demo succeeds only if all of them hold. */
  readonly claims: readonly { readonly claim: string; readonly held: boolean }[];
}

interface DemoOptions {
  readonly stack: LocalStack;
  readonly signal: AbortSignal;
  readonly onStep: (text: string) => void;
}

export async function runDemo(options: DemoOptions): Promise<DemoReport> {
  const { stack } = options;
  const { control } = stack.sandbox;
  await finishEarlierRun(options);
  const lastCharge = (await control.charges()).at(-1)?.n ?? 0;
  const deliveredBefore = await countDelivered(stack);
  const { workflowId, runId, result, namespace } = await refresh(options);
  const charges = await compare(stack, { runId, lastCharge });
  const store = createFiles({ filesDir: stack.filesDir });
  const files = await Promise.all(result.documents.map((document) => isWhole(store, document)));
  return {
    workflowId,
    runId,
    runUrl:
      stack.temporal.uiUrl === undefined
        ? null
        : `${stack.temporal.uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}/${runId}/history`,
    documents: result.documents,
    charges,
    claims: [
      { claim: 'the refresh ended and was paid by this run', held: !result.reused },
      { claim: 'a webhook came through the bridge', held: (await countDelivered(stack)) > deliveredBefore },
      { claim: 'every document is on disk under its hash', held: files.length > 0 && files.every(Boolean) },
      { claim: 'ledger = charge book', held: charges.equal },
    ],
  };
}

async function refresh({ stack, signal, onStep }: DemoOptions) {
  const config = resolveConfig({ env: stack.commandEnv });
  return withClient({ env: stack.commandEnv }, async (client) => {
    const deps = createStarterDeps(config, client);
    const over = new AbortController();
    const watching = await watchSandbox({ control: stack.sandbox.control, onStep, until: over.signal });
    // a sandbox that dies ends the whole stack; until then its silence only means that less is shown
    const watched = watching.ended.catch(() => undefined);
    try {
      const handle = await startRefreshCase(deps, { cnj: DEMO_CNJ, documents: true, download: true });
      onStep(`flow     ${handle.workflowId} started (run ${handle.runId})`);
      const end = await bounded(signal, waitFor(client, handle, onStep));
      if (end.kind === 'failed') throw failure(failureText(end.failure));
      if (end.kind === 'parked') throw needsPerson(handle.workflowId, end);
      return { ...handle, result: end.result, namespace: client.options.namespace };
    } finally {
      over.abort();
      await watched;
    }
  });
}

/**
 * The flow of a killed demo goes on in Temporal. Its webhook may have come while no bridge ran, so the flow is woken instead of
 * waiting for its next check. This demo begins when that flow has ended.
 */
async function finishEarlierRun({ stack, signal, onStep }: DemoOptions): Promise<void> {
  const workflowId = refreshCaseId(DEFAULT_ACCOUNT, cnjDigits(DEMO_CNJ) ?? '');
  await withClient({ env: stack.commandEnv }, async (client) => {
    const seen = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    if (seen?.status.name !== 'RUNNING') return;
    onStep(`flow     ${workflowId} of an earlier start is still running: it continues where it was`);
    await wakeFlow(client, workflowId, { reason: 'demo' });
    const end = await bounded(
      signal,
      waitFor(client, flowHandle<RefreshCaseResult>(client, workflowId, seen.runId), onStep),
    );
    if (end.kind === 'parked') throw needsPerson(workflowId, end);
    onStep(`flow     ${workflowId} of the earlier start ended: ${end.kind}`);
  });
}

function needsPerson(workflowId: string, need: Parameters<typeof parkedText>[1]): CliError {
  return failure(`${parkedText(workflowId, need)}\n  (bring the stack up first: tramita up)`);
}

function waitFor(
  client: Client,
  handle: FlowHandle<RefreshCaseResult>,
  onStep: (text: string) => void,
): ReturnType<typeof waitForFlow<RefreshCaseResult>> {
  let last = '';
  return waitForFlow({
    client,
    handle,
    everyMs: PROGRESS_EVERY_MS,
    onProgress: (progress) => {
      const line = progressLine(progress);
      if (line !== last) onStep(`flow     ${line}`);
      last = line;
    },
  });
}

async function bounded<T>(signal: AbortSignal, running: Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(FLOW_WITHIN_MS);
  const either = AbortSignal.any([signal, timeout]);
  const over = once(either, 'abort').then(() => {
    throw failure(signal.aborted ? 'interrupted' : `the flow did not end within ${FLOW_WITHIN_MS / 1000} s`);
  });
  return Promise.race([running, over]);
}

/** Compares the run's rows with all charges of the service for this case since the start, and earlier ones of these rows. */
async function compare(
  stack: LocalStack,
  { runId, lastCharge }: { readonly runId: string; readonly lastCharge: number },
): Promise<Comparison> {
  const config = resolveConfig({ env: stack.commandEnv });
  const intents = await withDatabase(config, (db) => openLedger(db, config).list({ firstRunId: runId }));
  const rows = intents
    .filter(({ charged, reserved, joined }) => joined === null && (charged ?? reserved) > 0)
    .reverse();
  const ours = new Set(rows.map(({ searchLogId }) => searchLogId));
  const digits = cnjDigits(DEMO_CNJ);
  const book = (await stack.sandbox.control.charges()).filter(
    ({ n, subject, searchLogId }) => subject.cnj === digits && (n > lastCharge || ours.has(searchLogId)),
  );
  return compareCharges(rows, book);
}

async function countDelivered(stack: LocalStack): Promise<number> {
  return (await stack.sandbox.control.deliveries()).filter(({ state }) => state === 'delivered').length;
}

/** Reads the file again: the store throws if the bytes do not match the hash that is their name. */
async function isWhole(files: Files, { stored }: DocumentResult): Promise<boolean> {
  const bytes = stored === undefined ? undefined : await files.open(stored);
  if (bytes === undefined) return false;
  return finished(bytes.resume()).then(
    () => true,
    () => false,
  );
}
