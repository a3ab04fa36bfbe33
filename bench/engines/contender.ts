/** One engine with the same flow, as the bench drives it: a worker to start and kill, a receiver of webhooks, and flows. */
import type { Service } from '../../soak/service.js';

/** How often the paid call is made: as the engine's documents show, or once, for users who know that it costs money. */
export type Tries = 'documented' | 'once';

export interface Program {
  readonly pid: number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** Its own sandbox, with the same settings as all others. */
  readonly service: Service;
  /** A database of its own. */
  readonly databaseUrl: string;
  /** Process ids of the receiver and of the servers that hold the engine's state. */
  readonly pids: { readonly receiver: number; readonly servers: readonly number[] };
  startWorker(): Promise<Program>;
  /** Starts a refresh of this case, which is also the flow's name; resolves when the start is durable. */
  start(cnj: string): Promise<void>;
  /** Cases whose result is stored. */
  done(): Promise<ReadonlySet<string>>;
  /** Cases that the engine has given up, with what it knows of the money. */
  failed(): Promise<ReadonlyMap<string, 'paid' | 'not said'>>;
  /** Cases that wait for a person's decision. */
  asking(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}
