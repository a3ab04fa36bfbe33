/** Parts of an answer that readings and results share. Types only. */

/** A binary answer, complete and on disk or in the file store. */
export interface StoredAnswerFile {
  /** URI of the file: `s3://…`, or relative to the file store of the configuration: `sha256/ab/cd/<hash>`. */
  readonly stored: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** As the service called it. */
  readonly contentType?: string;
}

/** One movement of a case as a flow reports it. Text is cut at 1,000 characters; the whole is in the database. */
export interface MovementResult {
  /** Id at the service. */
  readonly id: string | null;
  /** `yyyy-MM-dd`. */
  readonly date: string | null;
  /** Word of the service. */
  readonly kind: string | null;
  /** Word of the service. */
  readonly category: string | null;
  /** Cut at 1,000 characters. */
  readonly text: string | null;
  /** Where the service has it from. */
  readonly source: string | null;
  /** Degree of jurisdiction, as the service writes it. */
  readonly degree: string | null;
}
