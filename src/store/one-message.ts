/**
 * Several statements with parameters, one round trip. PostgreSQL takes parameters with one statement at a time, so a text
 * of several would have to carry its values itself, and a server writes the text of a statement that fails into its log.
 * Here each statement is parsed, bound and run by itself, but all are sent before the first answer is waited for.
 */
import { Query, type PoolClient, type QueryResult } from 'pg';

/** `$1`, `$2` … in the text stand for the values; a Buffer travels as the bytes that it is. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly (string | Buffer | null)[];
}

/** Travels as the only parameter of a query: so the pool knows that it is none of Kysely's own. */
export class OneMessage {
  private readonly statements: readonly Statement[];

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
  }

  /** Results in the order of the statements. After a failure the rest was not run, and a transaction is still open. */
  sendOver(client: PoolClient): Promise<readonly QueryResult[]> {
    return new Promise((resolve, reject) => {
      // `pg` gives a list where a query has several results, and null where there is no error.
      const query = new Query('', (error?: Error | null, results?: unknown) => {
        if (error === undefined || error === null) resolve(results as readonly QueryResult[]);
        else reject(error);
      });
      query.submit = (connection) => {
        connection.stream.cork();
        for (const { text, values = [] } of this.statements) {
          connection.parse({ text, name: '', types: [] }, MORE);
          connection.bind({ values: [...values] }, MORE);
          connection.describe({ type: 'P', name: '' }, MORE);
          connection.execute({}, MORE);
        }
        connection.sync();
        connection.stream.uncork();
      };
      client.query(query);
    });
  }
}

/** `pg` 8 does not look at it: nothing goes out before the stream is uncorked. */
const MORE = true;
