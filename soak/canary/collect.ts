/** Everything that a run leaves behind, by place: Temporal's raw data, logs, files, ops pages, the database. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { sql } from 'kysely';
import type { Database } from '../../src/store/index.js';
import type { PlaceName } from './places.js';

export type Contents = Readonly<Partial<Record<PlaceName, readonly Buffer[]>>>;

const { api } = temporal;

/** As it is on the wire: payloads as they are stored, as ciphertext when they are encrypted. */
export async function collectTemporal({ connection, options: { namespace } }: Client): Promise<Contents> {
  const { workflowService } = connection;
  const histories: Uint8Array[] = [];
  const descriptions: Uint8Array[] = [];
  const lists: Uint8Array[] = [];
  const executions: temporal.api.common.v1.IWorkflowExecution[] = [];
  for (let nextPageToken: Uint8Array | undefined; ;) {
    const page = await workflowService.listWorkflowExecutions({
      namespace,
      query: '',
      pageSize: 200,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    lists.push(api.workflowservice.v1.ListWorkflowExecutionsResponse.encode(page).finish());
    executions.push(...page.executions.flatMap(({ execution }) => (execution ? [execution] : [])));
    nextPageToken = page.nextPageToken;
    if (nextPageToken.length === 0) break;
  }
  for (const execution of executions) {
    const described = await workflowService.describeWorkflowExecution({ namespace, execution });
    descriptions.push(api.workflowservice.v1.DescribeWorkflowExecutionResponse.encode(described).finish());
    for (let nextPageToken: Uint8Array | undefined; ;) {
      const page = await workflowService.getWorkflowExecutionHistory({
        namespace,
        execution,
        ...(nextPageToken === undefined ? {} : { nextPageToken }),
      });
      histories.push(api.workflowservice.v1.GetWorkflowExecutionHistoryResponse.encode(page).finish());
      nextPageToken = page.nextPageToken;
      if (nextPageToken.length === 0) break;
    }
  }
  const schedules: Uint8Array[] = [];
  const { schedules: listed } = await workflowService.listSchedules({ namespace, maximumPageSize: 100 });
  for (const entry of listed) {
    schedules.push(api.schedule.v1.ScheduleListEntry.encode(entry).finish());
    const described = await workflowService.describeSchedule({ namespace, scheduleId: entry.scheduleId ?? '' });
    schedules.push(api.workflowservice.v1.DescribeScheduleResponse.encode(described).finish());
  }
  const buffers = (parts: readonly Uint8Array[]): readonly Buffer[] => parts.map((part) => Buffer.from(part));
  return {
    'temporal histories': buffers(histories),
    'temporal lists': buffers(lists),
    'temporal descriptions': buffers(descriptions),
    'temporal schedules': buffers(schedules),
    'temporal ids': executions.map(({ workflowId }) => Buffer.from(workflowId ?? '')),
  };
}

/** Every row of every table of ours, bytes as hexadecimal digits. */
export async function dumpDatabase(db: Database): Promise<readonly Buffer[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'tramita' and c.relkind = 'r'`.execute(db);
  const dump: Buffer[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(db);
    dump.push(Buffer.from(rows.map(({ row }) => `${name} ${row}`).join('\n')));
  }
  return dump;
}

/** Names and bytes of all files below a folder for which `wants` is true. */
export function readFolder(folder: string, wants: (path: string) => boolean = () => true): readonly Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => wants(relative(folder, path)))
    .flatMap((path) => [Buffer.from(relative(folder, path)), ...readOrNothing(path)]);
}

/** A file may disappear while it is being read. */
export function readOrNothing(path: string): readonly Buffer[] {
  try {
    return [readFileSync(path)];
  } catch {
    return [];
  }
}
