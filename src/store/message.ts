/**
 * Several statements in one message: one round trip, and one transaction unless they begin or end one themselves. Each has
 * parameters of its own; the first that fails ends the message, so that a `commit` behind it is not reached. Nothing of it
 * outlives the transaction: no statement has a name, so a pooler may give every transaction another connection.
 */
import { Query, type ClientBase, type Connection, type QueryResult } from 'pg';

/** `$1`, `$2` … in the text stand for the values; a Buffer travels as the bytes that it is. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** The results in order. Rejects with the error of the first statement that fails. */
export function sendTogether(client: ClientBase, statements: readonly Statement[]): Promise<readonly QueryResult[]> {
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
function writeAll(connection: Connection, statements: readonly Statement[]): void {
  const unended = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
  connection.stream.cork();
  try {
    for (const { text, values = [] } of statements) {
      new Query({ ...EXTENDED, text, values: [...values] }).submit(unended);
    }
    connection.sync();
  } finally {
    connection.stream.uncork();
  }
}

/** Also without parameters: a plain query would end by itself. */
const EXTENDED = { queryMode: 'extended' } as const;
