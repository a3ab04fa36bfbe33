/** What a migration is: a name that sorts, and SQL that is run once. */
export interface Migration {
  readonly name: string;
  /** In one transaction. What it locks, it must hold for an instant only: calls are opened and settled meanwhile. */
  readonly sql: string;
  /**
   * Afterwards, each by itself and outside of any transaction: indexes `concurrently`, and what takes long. Each may run twice,
   * because a migration that was broken off begins again here.
   */
  readonly after?: readonly string[];
}
