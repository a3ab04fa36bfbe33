/** Writes one history for test/replay. Kept files are never recorded again: a change that breaks their replay needs `patched`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { Flows } from '../flows/with-flows.js';

const DIRECTORY = join(__dirname, '../replay/histories');

export async function keepHistory(client: Client, reason: string, workflowId: string): Promise<void> {
  const file = join(DIRECTORY, `${reason}-${new Date().toISOString().slice(0, 10)}.json`);
  mkdirSync(DIRECTORY, { recursive: true });
  expect(existsSync(file)).toBe(false);
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown }, undefined, 1);
  // Paths and worker names of the recording machine say nothing about the flow.
  const scrubbed = text
    .replace(/\/[^\s:()"\\]*\/(node_modules|src|test)\//g, '/$1/')
    .replace(/\b\d+@[\w.-]+/g, 'worker');
  writeFileSync(file, `${scrubbed}\n`);
}

export function recorderOf(flows: Flows) {
  const keep = (reason: string, workflowId: string): Promise<void> => keepHistory(flows.client, reason, workflowId);
  return {
    keep,
    /** Runs a flow to its end, whatever it is, and keeps its history. */
    record: async (reason: string, type: string, input: unknown): Promise<void> => {
      const handle = await flows.startPlain(type, input);
      await handle.result().catch(() => undefined);
      await keep(reason, handle.workflowId);
    },
  };
}
