/**
 * Several statements in one message: one round trip, and one implicit transaction unless they begin or end one themselves.
 * Each has its own parameters. The first that fails ends the message, so a later `commit` is not run. Only the plans of
 * statements that the caller has named outlive the transaction (`kept-plans.ts`).
 */
import { Query, type ClientBase, type Connection, type QueryResult } from 'pg';

/** `$1`, `$2` … in the text stand for the values; a Buffer is sent as `bytea`. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface NamedStatement extends Statement {
  /** The server keeps its plan under this name, for this connection. */
  readonly name?: string | undefined;
}

/** The results in order. Rejects with the error of the first statement that fails. */
export function sendTogether(
  client: ClientBase,
  statements: readonly NamedStatement[],
): Promise<readonly QueryResult[]> {
  return new Promise((resolve, reject) => {
    const text = statements.map((statement) => statement.text).join('; ');
    const message = new Query({ text }, [], (error, result) => {
      if (error) reject(error);
      else resolve([result as unknown].flat() as QueryResult[]);
    });
    // Answers come in order, and `pg` tells the results of one query apart by itself.
    message.submit = (connection) => writeAll(connection, statements);
    client.query(message);
  });
}

/** Writes each statement as `pg` does, but with a single `Sync` at the end. */
function writeAll(connection: Connection, statements: readonly NamedStatement[]): void {
  const unended = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
  connection.stream.cork();
  try {
    for (const { name, text, values = [] } of statements) {
      new Query({ ...EXTENDED, ...(name === undefined ? {} : { name }), text, values: [...values] }).submit(unended);
    }
    connection.sync();
  } finally {
    connection.stream.uncork();
  }
}

/** Also for a statement without parameters: the simple protocol would end the message. */
const EXTENDED = { queryMode: 'extended' } as const;
