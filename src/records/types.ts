/** Types of the records: what is known about cases, for readers of the database. Times are epoch ms of our clock. */
import type { Writable } from '../store/index.js';

export interface ListedDocument {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  /** The item as the service sent it; links are taken out before it is stored. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface DocumentsPage {
  readonly account: string;
  /** Twenty digits. */
  readonly cnj: string;
  readonly listedAtMs: number;
  readonly documents: readonly ListedDocument[];
}

/** The file of one document; case and id are its place in the order of all. */
export interface DocumentFile {
  readonly cnj: string;
  readonly id: string;
  /** URI of the file: `s3://…`, or relative to the file store of the configuration: `sha256/ab/cd/<hash>`. */
  readonly stored: string;
}

export interface Download {
  readonly account: string;
  readonly cnj: string;
  readonly documentId: string;
  /** Ledger row of the listing whose link was followed. */
  readonly intentId: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly stored: string;
  readonly downloadedAtMs: number;
}

export interface CaseRefresh {
  readonly account: string;
  readonly cnj: string;
  readonly state: 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  /** The refresh was asked for with its public documents. */
  readonly withDocuments: boolean;
  readonly intentId: string;
  readonly finishedAtMs: number;
}

export interface Records {
  /** Upserts one page of a documents list; returns how many documents are new or changed. */
  saveDocuments(page: DocumentsPage): Promise<number>;
  /** Notes a file that is on disk. A document that no page has listed is written too. */
  saveDownload(download: Download): Promise<void>;
  /** The file of this document if it was downloaded for this very listing: then it need not be downloaded again. */
  findDownload(
    account: string,
    cnj: string,
    documentId: string,
    intentId: string,
  ): Promise<Pick<Download, 'sha256' | 'bytes' | 'stored' | 'downloadedAtMs'> | undefined>;
  /** Documents that have a file, after `after`, in the order of their cases and ids. */
  listFiles(page: {
    readonly account: string;
    readonly after?: DocumentFile | undefined;
    readonly limit: number;
  }): Promise<readonly DocumentFile[]>;
  /** Keeps the newest refresh that has ended; an older one changes nothing. */
  saveRefresh(refresh: CaseRefresh): Promise<void>;
  /** The statement of {@link Records.saveRefresh}, for another transaction. */
  writeOfRefresh(refresh: CaseRefresh): Writable;
  findRefresh(account: string, cnj: string): Promise<CaseRefresh | undefined>;
}
