/**
 * Identifies a process by its pid and its start time. The system reuses pids, and a stack file may survive a reboot, so
 * this room signals a process only if both still match. A zombie counts as dead: it holds its pid but nothing else.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: boot and start tick on Linux, start time elsewhere. Compare for equality only. */
  readonly startMark: string;
}

/** The living process with this pid, or undefined when there is none. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const startMark = process.platform === 'linux' ? linuxStartMark(pid) : psStartMark(pid);
  return startMark === undefined ? undefined : { pid, startMark };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startMark === identity.startMark;
}

export function ownIdentity(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, startMark: 'unknown' };
}

/**
 * Fields of `/proc/<pid>/stat` (proc(5): 3 is the state, 22 the start in clock ticks since boot). The second field is
 * the program's name in parentheses and may itself contain spaces and parentheses, so the last `)` counts.
 */
export function parseProcStat(stat: string): { readonly state: string; readonly startTicks: string } | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const state = fields[0];
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined || !/^\d+$/.test(startTicks)) return undefined;
  return { state, startTicks };
}

/** One line of `ps -o state=,lstart=`, for example `S    Fri Nov 20 23:32:11 2026`. */
export function parsePsLine(line: string): { readonly state: string; readonly startedAt: string } | undefined {
  const match = /^\s*(\S+)\s+(\S.*\d{4})\s*$/.exec(line);
  const [, state, startedAt] = match ?? [];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

function linuxStartMark(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const seen = parseProcStat(stat);
  if (seen === undefined || isDeadState(seen.state)) return undefined;
  return `${bootId()}:${seen.startTicks}`;
}

function psStartMark(pid: number): string | undefined {
  const ps = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
  });
  const seen = parsePsLine(ps.stdout);
  return seen === undefined || isDeadState(seen.state) ? undefined : seen.startedAt;
}

function isDeadState(state: string): boolean {
  return state.startsWith('Z') || state.startsWith('X');
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return 'boot';
  }
}
