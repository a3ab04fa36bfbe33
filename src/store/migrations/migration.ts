/** What a migration is: a name that sorts, and SQL that is run once. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}
