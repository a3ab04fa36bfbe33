/** The armed faults and how often each fired. In memory; knows nothing of sockets. */
import { present } from '../../src/contract/index.js';
import { strikesBefore, type Fault } from './fault-types.js';

export interface ArmedFault {
  readonly id: number;
  readonly fault: string;
  readonly operation: string;
  /** Absent: requests about any case. */
  readonly cnj?: string;
  readonly times: number;
  /** Matching requests that it still lets pass before it fires. */
  readonly after: number;
  readonly fired: number;
  readonly left: number;
}

/** What a fault checks to decide whether to fire now. */
export interface Moment {
  readonly operation: string;
  /** The case that the request is about, 20 digits, as far as its path or its work says. */
  readonly cnj?: string | undefined;
  /** True when the connection carried a request before. */
  readonly reused: boolean;
  /** null before the operation is performed. */
  readonly answer: { readonly status: number; readonly reproduced: boolean } | null;
}

/** The moment at which F2 fires: during the TLS handshake, when the operation is not known yet. */
export const HANDSHAKE = 'TLS handshake';

export interface FaultBoard {
  arm(fault: Fault): ArmedFault;
  /** The window of refused connections is timed elsewhere; here it is only counted. */
  noteRefusal(): ArmedFault;
  /** Returns the first armed fault that this moment fires, and counts it. Every other matching one counts the request as passed. */
  fire(moment: Moment): Fault | undefined;
  list(): readonly ArmedFault[];
}

interface Entry {
  /** Undefined for F0. */
  readonly fault: Fault | undefined;
  armed: ArmedFault;
}

export function createFaultBoard(): FaultBoard {
  const entries: Entry[] = [];
  const add = (fault: Fault | undefined, facts: Pick<ArmedFault, 'operation' | 'cnj' | 'times' | 'after'>): Entry => {
    const armed = { id: entries.length + 1, fault: fault?.fault ?? 'F0', ...facts, fired: 0, left: facts.times };
    const entry = { fault, armed };
    entries.push(entry);
    return entry;
  };
  const count = (entry: Entry): ArmedFault => {
    const { fired, left } = entry.armed;
    entry.armed = { ...entry.armed, fired: fired + 1, left: left - 1 };
    return entry.armed;
  };
  return {
    arm: (fault) => {
      const { operation, times, after } = fault;
      return add(fault, { operation, ...present({ cnj: caseOf(fault) }), times, after }).armed;
    },
    noteRefusal: () => count(add(undefined, { operation: '*', times: 1, after: 0 })),
    fire(moment) {
      let firing: Entry | undefined;
      for (const entry of entries) {
        const { fault, armed } = entry;
        if (fault === undefined || armed.left <= 0 || !isMomentOf(fault, moment)) continue;
        if (armed.after > 0) entry.armed = { ...armed, after: armed.after - 1 };
        else firing ??= entry;
      }
      if (firing !== undefined) count(firing);
      return firing?.fault;
    },
    list: () => entries.map(({ armed }) => armed),
  };
}

function caseOf(fault: Fault): string | undefined {
  return 'cnj' in fault ? fault.cnj : undefined;
}

function isMomentOf(fault: Fault, { operation, cnj, answer, reused }: Moment): boolean {
  if (fault.fault === 'F2') return operation === HANDSHAKE;
  if (operation === HANDSHAKE) return false;
  if (fault.fault === 'F14' && !reused) return false;
  if (fault.operation !== '*' && fault.operation !== operation) return false;
  const wanted = caseOf(fault);
  if (wanted !== undefined && wanted !== cnj) return false;
  if (answer === null || strikesBefore(fault)) return answer === null && strikesBefore(fault);
  if (fault.fault === 'F10') return answer.status === 202;
  if (fault.fault === 'F11') return answer.reproduced;
  return true;
}
