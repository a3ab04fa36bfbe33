/** Messages between the test process and the host, over the channel of `fork`. JSON only. */
import type { SandboxOptions } from '../../../sandbox/index.js';
import type { AuditedRow } from '../audit/books.js';
import type { TestServerAddresses } from './types.js';

/** The first message to a host: what to run. Its files are in `folder`. */
export type HostTask =
  | { readonly kind: 'servers'; readonly folder: string }
  | {
      readonly kind: 'stack';
      readonly folder: string;
      readonly servers: TestServerAddresses | undefined;
      readonly worker: boolean;
      readonly sandbox: SandboxOptions;
      readonly env: Readonly<Record<string, string>>;
      readonly settings: Readonly<Record<string, unknown>>;
    };

export interface ServersFacts extends TestServerAddresses {
  readonly uiUrl: string;
}

export interface StackFacts {
  readonly env: Readonly<Record<string, string>>;
  readonly webhook: { readonly url: string; readonly secret: string };
  readonly sandbox: { readonly url: string; readonly documentsUrl: string; readonly controlUrl: string };
}

export type ToHost = { readonly kind: 'read ledger' } | { readonly kind: 'stop' };

export type FromHost =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'ready'; readonly facts: ServersFacts | StackFacts }
  | { readonly kind: 'ledger'; readonly rows: readonly AuditedRow[] }
  /** Before it was ready: there is no stack. Afterwards: the ledger could not be read. */
  | { readonly kind: 'failed'; readonly message: string };

/** Folders of hosts, below the folder for temporary files. */
export const FOLDER_PREFIX = 'tramita-testing-';
