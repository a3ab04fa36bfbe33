/** Parts of an answer that readings and results share. Types alone. */

/** A binary answer, complete and on disk or in the file store. */
export interface StoredAnswerFile {
  /** URI of the file: `s3://…`, or relative to the file store of the configuration: `sha256/ab/cd/<hash>`. */
  readonly stored: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly contentType?: string;
}

/** One movement of a case as a flow reports it. Text is cut at 1,000 characters; the whole is in the database. */
export interface MovementResult {
  readonly id: string | null;
  /** `yyyy-MM-dd`. */
  readonly date: string | null;
  readonly kind: string | null;
  readonly category: string | null;
  readonly text: string | null;
  readonly source: string | null;
  readonly degree: string | null;
}
