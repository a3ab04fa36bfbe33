/** Types of `tramita/testing`. */
import type { Client } from '@temporalio/client';
import type {
  Charge,
  Control,
  Delivery,
  EventCommandInput,
  FaultInput,
  ReceivedRequest,
  SandboxOptions,
} from '../../../sandbox/index.js';
import type { Config, ConfiguredStarterDeps } from '../../config/index.js';
import type { OperationId } from '../../contract/index.js';

/** Servers that several stacks share. Each stack makes a Temporal namespace and a database of its own there. */
export interface TestServerAddresses {
  /** `host:port` of a Temporal server, e.g. `127.0.0.1:7233`. It must allow new namespaces. */
  readonly temporalAddress: string;
  /** Address of a PostgreSQL, with a role that may create databases. */
  readonly databaseUrl: string;
}

/** Servers that {@link startTestServers} started. */
export interface TestServers extends TestServerAddresses {
  /** Temporal's web UI. */
  readonly uiUrl: string;
  /** Ends both servers and removes their files. They also end when the process that started them does. */
  stop(): Promise<void>;
}

/** Options of a stack, all of them optional. */
export interface TestStackOptions {
  /** Default: those of {@link startTestServers} in a global set-up, else servers of only this stack. */
  readonly servers?: TestServerAddresses;
  /** False: no worker of tramita runs; the test starts one of its own from {@link TestStack.env}. Default true. */
  readonly worker?: boolean;
  /** Settings of the imitated service. By default a refresh takes 0.2 s. */
  readonly sandbox?: SandboxOptions;
  /** Settings of tramita as environment variables, on top of those of the stack. */
  readonly env?: Readonly<Record<string, string>>;
  /** Members of the file that `TRAMITA_CONFIG` names, e.g. `{ accounts: { default: { maxSpendPerDay: '5' } } }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Called during long steps: a download or a build, at the very first start on a machine. */
  readonly onProgress?: (text: string) => void;
}

/** A fault without its place, or `answer`: what the service really answers. */
export type ScriptedAnswer = 'answer' | FaultWithoutPlace<FaultInput>;

type FaultWithoutPlace<Fault> = Fault extends FaultInput ? Omit<Fault, 'operation' | 'times' | 'after'> : never;

/** The imitated service: what it was asked, what it charged, how it fails, and its clock. */
export interface TestSandbox {
  /** Base address of the service. */
  readonly url: string;
  /** Where its signed links of documents lead. */
  readonly documentsUrl: string;
  /** Any request to its control interface (docs/sandbox.md, "Control"). */
  readonly control: Control;
  /** The charge book: what was paid. `amount` is an integer of 1/10,000. */
  charges(): Promise<readonly Charge[]>;
  /** The latest requests that reached the service. */
  requests(): Promise<readonly ReceivedRequest[]>;
  /** Webhooks that it sent, with their attempts. */
  deliveries(): Promise<readonly Delivery[]>;
  /** Arms a fault: `{ operation: 'requestRefresh', fault: 'F4' }` charges, and cuts the line before the answer. */
  fault(fault: FaultInput): Promise<void>;
  /**
   * How the next requests of an operation are answered, in order: `script('getCase', ['answer', { fault: 'F1' }])`. After the
   * last one the service answers normally.
   */
  script(operation: OperationId, answers: readonly ScriptedAnswer[]): Promise<void>;
  /** Sends, repeats, delays or forges a webhook. */
  sendEvent(command: EventCommandInput): Promise<readonly Delivery[]>;
  /**
   * Advances the clock of the service by this many milliseconds, and waits until everything due has happened: pending work ends,
   * its webhooks go out, links expire, monitors bill. **It is only the service's clock.** Temporal's timers and schedules, the
   * worker (`maxAge`, budgets by day) and the database use real time; a flow that waits for work sees its end by the webhook.
   */
  advance(ms: number): Promise<void>;
  /** Time of the service's clock. */
  now(): Promise<Date>;
}

/** How strict {@link TestStack.assertNothingPaidTwice} is. */
export interface NothingPaidTwice {
  /**
   * `once`: no two charges for the same operation with the same arguments, whichever flows asked. Default `as-asked`: each step
   * of each run may pay once, so two refreshes of one case that were asked for may both cost.
   */
  readonly sameCall?: 'once' | 'as-asked';
}

/** A whole stack: Temporal, PostgreSQL, sandbox, worker and bridge, on free ports of 127.0.0.1. */
export interface TestStack {
  /** Temporal client of the stack's namespace. */
  readonly client: Client;
  /** The first argument of the starters: `startRefreshCase(stack.deps, { cnj })`. */
  readonly deps: ConfiguredStarterDeps;
  /** The configuration of the stack, without API keys. */
  readonly config: Config;
  /** Environment of a program that belongs to the stack: a backend, a worker of your own, the command `tramita`. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporal: {
    /** `host:port`. */
    readonly address: string;
    /** `default` on servers of its own, else the stack's own namespace. */
    readonly namespace: string;
  };
  /** Address of the ledger's database, for `pg` and for tests that read it. */
  readonly databaseUrl: string;
  /** Where the bridge takes webhooks of account `default`, and what they are signed with. The sandbox has both. */
  readonly webhook: { readonly url: string; readonly secret: string };
  readonly sandbox: TestSandbox;
  /** What worker, bridge and sandbox log, while the stack is up. */
  readonly logFile: string;
  /**
   * Compares the ledger with the service's charge book: every charge belongs to one paid call, no call paid twice, all figures
   * agree. Waits up to 10 s for calls in progress. Rejects with an `AssertionError` that lists what is wrong.
   */
  assertNothingPaidTwice(options?: NothingPaidTwice): Promise<void>;
  /** Ends the stack and removes its files and databases. Idempotent. The stack also ends when the test process does. */
  stop(): Promise<void>;
}
