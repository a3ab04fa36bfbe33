/** The histories of `tramita replay`, from the namespace or from a folder of files, one at a time. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { isJsonObject } from '../../contract/json.js';
import { present } from '../../contract/values/index.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { unlessGone } from '../../temporal-client/index.js';
import type { KeptRun } from '../../workers/index.js';
import { failure, usageError } from '../exit-codes.js';
import { parseObject } from '../input/json-object.js';
import { runsSince } from './histories.js';

/** The server gives no larger page. */
const LARGEST_PAGE = 1_000;

/** `begun`: a workflow task has completed. Before that a history has no commands that could differ. */
export type FoundRun = KeptRun & { readonly begun: boolean };

interface RunSelection {
  readonly flow: string | undefined;
  readonly limit: number;
  readonly onCut: () => void;
}

/** Runs that are running or have ended since `sinceMs`, newest first. Calls `onCut` if there are more than `limit`. */
export async function* runsOfNamespace(
  client: Client,
  { sinceMs, flow, limit, onCut }: RunSelection & { readonly sinceMs: number },
): AsyncGenerator<FoundRun> {
  const ours = runsSince(sinceMs);
  const query = flow === undefined ? ours : `${ours} AND ${SEARCH_ATTRIBUTES.flow} = "${flow}"`;
  let found = 0;
  for await (const info of client.workflow.list({ query, pageSize: Math.min(limit + 1, LARGEST_PAGE) })) {
    if (found === limit) {
      onCut();
      return;
    }
    const { workflowId, runId } = info;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory().catch(unlessGone);
    if (history === undefined) continue;
    found += 1;
    const begun = (history.events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
    yield { workflowId, runId, flow: info.type, history, begun };
  }
}

/** Files of `temporal workflow show --output json`, or `{workflowId, history}`. Rejects at once if there is no such folder. */
export async function runsOfFolder(folder: string, selection: RunSelection): Promise<AsyncGenerator<FoundRun>> {
  const names = await readdir(folder).catch(() => {
    throw usageError(`--file: the folder ${JSON.stringify(folder)} cannot be read; expected a folder of histories`);
  });
  return runsOfFiles(folder, names.filter((name) => name.endsWith('.json')).sort(), selection);
}

async function* runsOfFiles(
  folder: string,
  names: readonly string[],
  { flow: only, limit, onCut }: RunSelection,
): AsyncGenerator<FoundRun> {
  let found = 0;
  for (const name of names) {
    const run = parseRun(name, await readFile(join(folder, name), 'utf8'));
    if (only !== undefined && run.flow !== only) continue;
    if (found === limit) {
      onCut();
      return;
    }
    found += 1;
    yield run;
  }
}

function parseRun(name: string, text: string): FoundRun {
  const bad = (why: string): Error =>
    failure(`${JSON.stringify(name)} is ${why}; expected what "temporal workflow show --output json" prints`);
  const read = parseObject(text);
  if (!read.ok) throw bad('not a JSON object');
  const file = read.value;
  const history = isJsonObject(file['history']) ? file['history'] : file;
  const events = (Array.isArray(history['events']) ? history['events'] : []).filter(isJsonObject);
  const started = events[0]?.['workflowExecutionStartedEventAttributes'];
  if (!isJsonObject(started)) throw bad('not a history');
  const { workflowId = started['workflowId'], runId = started['originalExecutionRunId'] } = file;
  const type = isJsonObject(started['workflowType']) ? started['workflowType']['name'] : undefined;
  return {
    workflowId: textOf(workflowId) ?? name,
    ...present({ runId: textOf(runId) }),
    flow: textOf(type) ?? 'unknown',
    history,
    begun: events.some((event) => event['workflowTaskCompletedEventAttributes'] !== undefined),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
