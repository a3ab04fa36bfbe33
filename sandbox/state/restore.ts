/** Journal lines → the state since the last reset. Pure. */
import type { Answer } from '../answer.js';
import type { Charge, Flushed } from './charge-book.js';
import type { Monitor } from './monitors.js';
import type { Work } from './works.js';

export interface FinalLine {
  readonly kind: 'final';
  readonly requestId: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

export type JournalLine =
  | ({ readonly kind: 'charge' } & Charge)
  | { readonly kind: 'flushed'; readonly n: number; readonly flushed: Flushed }
  | ({ readonly kind: 'work' } & Work)
  | FinalLine
  | ({ readonly kind: 'monitor' } & Monitor)
  | { readonly kind: 'coverage'; readonly oab: string; readonly startedAtMs: number }
  | { readonly kind: 'reset' };

export interface Kept {
  readonly charges: readonly Charge[];
  readonly works: readonly Work[];
  readonly finals: ReadonlyMap<string, Answer>;
  readonly monitors: readonly Monitor[];
  readonly coverage: ReadonlyMap<string, number>;
  /** Number of the first charge since the last reset. */
  readonly firstNumber: number;
}

export const NOTHING_KEPT: Omit<Kept, 'firstNumber'> = {
  charges: [],
  works: [],
  finals: new Map(),
  monitors: [],
  coverage: new Map(),
};

/** The file is the sandbox's own, so its lines are not checked. */
export function restoreKept(lines: readonly unknown[]): Kept {
  const all = lines as readonly JournalLine[];
  const start = all.map((line) => line.kind).lastIndexOf('reset') + 1;
  const before = all.slice(0, start).filter((line) => line.kind === 'charge').length;
  const charges = new Map<number, Charge>();
  const works: Work[] = [];
  const finals = new Map<string, Answer>();
  const monitors = new Map<string, Monitor>();
  const coverage = new Map<string, number>();
  for (const line of all.slice(start)) {
    switch (line.kind) {
      case 'charge': {
        const { kind: _kind, ...charge } = line;
        charges.set(charge.n, { ...charge, connection: null });
        break;
      }
      case 'flushed': {
        const charge = charges.get(line.n);
        if (charge !== undefined) charges.set(line.n, { ...charge, flushed: line.flushed });
        break;
      }
      case 'work': {
        const { kind: _kind, ...work } = line;
        works.push(work);
        break;
      }
      case 'final':
        finals.set(line.requestId, {
          status: line.status,
          headers: line.headers,
          body: Buffer.from(line.bodyBase64, 'base64'),
        });
        break;
      case 'monitor': {
        const { kind: _kind, ...monitor } = line;
        monitors.set(monitor.id, monitor);
        break;
      }
      case 'coverage':
        coverage.set(line.oab, line.startedAtMs);
        break;
      case 'reset':
    }
  }
  return {
    charges: [...charges.values()],
    works,
    finals,
    monitors: [...monitors.values()],
    coverage,
    firstNumber: before + 1,
  };
}
