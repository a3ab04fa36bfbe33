/**
 * Where the cluster's files lie. Normally in the data folder itself; when we are root and the account that PostgreSQL
 * runs as cannot get there (a project under /root, mode 700), in a private folder under /var/tmp whose name is made
 * from the data folder's real path. The choice is written down in the data folder and kept.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAs, type RunAs } from './postgres-account.js';
import { readJson, writeJson } from '../process/state-file.js';

/** Unlike /tmp it survives a reboot (Filesystem Hierarchy Standard 3.0, section 5.15). */
const LASTING_TEMP = '/var/tmp';

export interface PostgresPlace {
  /** Exists; the cluster is made inside it. */
  readonly folder: string;
  readonly why: string;
}

export async function choosePostgresPlace(dataDir: string, as: RunAs): Promise<PostgresPlace> {
  mkdirSync(dataDir, { recursive: true });
  const inside = { folder: dataDir, why: 'the data folder' };
  if (as.account === undefined) return inside;
  const file = join(dataDir, 'place.json');
  const recorded = readJson<PostgresPlace>(file);
  const isRecorded = recorded?.folder === privateFolderPath(dataDir) && existsSync(recorded.folder);
  if (!isRecorded && (await canEnter(dataDir, as))) return inside;
  const place = {
    folder: privateFolder(dataDir),
    why: `${dataDir} cannot be used by user ${as.account.uid}, as which PostgreSQL runs because we are root`,
  };
  writeJson(file, place);
  return place;
}

/** Everybody may pass through this folder, only we may write; its contents have their own, tighter mode. */
export function privateFolder(dataDir: string): string {
  const folder = privateFolderPath(dataDir);
  mkdirSync(folder, { recursive: true });
  const seen = lstatSync(folder);
  if (!seen.isDirectory() || seen.uid !== process.getuid?.()) {
    throw new Error(
      `tramita: ${folder} belongs to another user (uid ${seen.uid}); remove it or set TRAMITA_DATABASE_URL`,
    );
  }
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes what {@link privateFolder} made for this data folder, if anything. The data folder must still exist. */
export function removePrivateFolder(dataDir: string): void {
  if (existsSync(dataDir)) rmSync(privateFolderPath(dataDir), { recursive: true, force: true });
}

function privateFolderPath(dataDir: string): string {
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  return join(existsSync(LASTING_TEMP) ? LASTING_TEMP : tmpdir(), `tramita-${hash}`);
}

/** Tried, not computed from mode bits: access lists and mounts decide too. */
async function canEnter(folder: string, as: RunAs): Promise<boolean> {
  return (await runAs(as, { command: '/bin/sh', args: ['-c', 'cd -- "$0"', folder], timeoutMs: 5_000 })).ok;
}
