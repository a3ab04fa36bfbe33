/** Formats what a run has found, for people; and sums up the figures of all runs, for machines. Pure. */
import type { Run } from './run-one.js';

export interface ModelFigures {
  readonly states: number;
  readonly transitions: number;
  /** Moves from the start to the farthest state. */
  readonly depth: number;
  /** Explorations that have reached every reachable state. */
  readonly wholeWorlds: number;
  /** Explorations that have found a broken promise. */
  readonly broken: number;
  readonly defects: number;
  readonly defectsFound: number;
  readonly seconds: number;
  /** Peak, of all explorations together. */
  readonly memoryMb: number;
}

export function describeRun({ title, states, transitions, depth, seconds, broken }: Run): string {
  const figures = `${count(states)} states, ${count(transitions)} transitions, ${depth} moves deep, ${seconds} s`;
  if (broken === undefined) return `${title}\n  nothing broken in ${figures}\n`;
  const trace = broken.trace.map((says, at) => `  ${String(at + 1).padStart(4)}. ${says}\n`).join('');
  return `${title}\n  ${broken.promise} (${figures})\n${trace}`;
}

export function isGood({ broken, defects, defectsFound }: ModelFigures): boolean {
  return broken === 0 && defects === defectsFound;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
