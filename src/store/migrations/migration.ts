/** What a migration is: a name that sorts, and SQL that is run once. */
export interface Migration {
  readonly name: string;
  /** Runs in one transaction. It may hold its locks for an instant only: calls are opened and settled meanwhile. */
  readonly sql: string;
  /**
   * Run afterwards, one by one and outside of any transaction: indexes `concurrently`, and whatever takes long. Each must be
   * repeatable, because an interrupted migration runs all of them again.
   */
  readonly after?: readonly string[];
}
