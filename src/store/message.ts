/**
 * Several statements in one message: one round trip, and one transaction unless they begin or end one themselves. Each has
 * parameters of its own; the first that fails ends the message, so that a `commit` behind it is not reached. Nothing of it
 * outlives the transaction but the plans of statements that the caller gives a name (`kept-plans.ts`).
 */
import { Query, type ClientBase, type Connection, type QueryResult } from 'pg';

/** `$1`, `$2` … in the text are the values; a Buffer travels as the bytes that it is. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface Named extends Statement {
  /** The server keeps its plan under this name, for this connection. */
  readonly name?: string | undefined;
}

/** The results in order. Rejects with the error of the first statement that fails. */
export function sendTogether(client: ClientBase, statements: readonly Named[]): Promise<readonly QueryResult[]> {
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

/** As `pg` writes one statement, without the `Sync` that ends each. */
function writeAll(connection: Connection, statements: readonly Named[]): void {
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

/** Also without parameters: a plain query would end by itself. */
const EXTENDED = { queryMode: 'extended' } as const;
