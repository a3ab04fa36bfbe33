/** The armed faults and how often each fired. In memory; knows nothing of sockets. */
import { strikesBefore, type Fault } from './fault-types.js';

export interface ArmedFault {
  readonly id: number;
  readonly fault: string;
  readonly operation: string;
  readonly times: number;
  /** Matching requests still let pass before it fires. */
  readonly after: number;
  readonly fired: number;
  readonly left: number;
}

/** What a fault may look at to know whether the moment it waits for has come. */
export interface Moment {
  readonly operation: string;
  /** True when the connection carried a request before. */
  readonly reused: boolean;
  /** null before the operation is performed. */
  readonly answer: { readonly status: number; readonly reproduced: boolean } | null;
}

/** The moment at which F2 waits: a connection is being secured, its purpose is unknown. */
export const HANDSHAKE = 'TLS handshake';

export interface FaultBoard {
  arm(fault: Fault): ArmedFault;
  /** The refused-connections window has its own clockwork; it is only counted here. */
  noteRefusal(): ArmedFault;
  /** The first armed fault whose moment this is; counts it. Every other matching one counts the request as passed. */
  fire(moment: Moment): Fault | undefined;
  list(): readonly ArmedFault[];
}

interface Entry {
  readonly id: number;
  readonly fault: Fault | undefined;
  readonly operation: string;
  readonly times: number;
  after: number;
  fired: number;
}

export function createFaultBoard(): FaultBoard {
  const entries: Entry[] = [];
  const add = (entry: Omit<Entry, 'id'>): Entry => {
    const added = { id: entries.length + 1, ...entry };
    entries.push(added);
    return added;
  };
  return {
    arm: (fault) =>
      describe(add({ fault, operation: fault.operation, times: fault.times, after: fault.after, fired: 0 })),
    noteRefusal: () => describe(add({ fault: undefined, operation: '*', times: 1, after: 0, fired: 1 })),
    fire(moment) {
      let firing: Entry | undefined;
      for (const entry of entries) {
        if (entry.fault === undefined || entry.fired >= entry.times || !isMomentOf(entry.fault, moment)) continue;
        if (entry.after > 0) entry.after -= 1;
        else firing ??= entry;
      }
      if (firing !== undefined) firing.fired += 1;
      return firing?.fault;
    },
    list: () => entries.map(describe),
  };
}

function isMomentOf(fault: Fault, { operation, answer, reused }: Moment): boolean {
  if (fault.fault === 'F2') return operation === HANDSHAKE;
  if (operation === HANDSHAKE) return false;
  if (fault.fault === 'F14' && !reused) return false;
  if (fault.operation !== '*' && fault.operation !== operation) return false;
  if (answer === null || strikesBefore(fault)) return answer === null && strikesBefore(fault);
  if (fault.fault === 'F10') return answer.status === 202;
  if (fault.fault === 'F11') return answer.reproduced;
  return true;
}

function describe(entry: Entry): ArmedFault {
  const { id, fault, operation, times, after, fired } = entry;
  return { id, fault: fault?.fault ?? 'F0', operation, times, after, fired, left: times - fired };
}
