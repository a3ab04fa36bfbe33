/** What activities of workers in this process ask of PostgreSQL, by workflow: counted where `pg` writes to the socket. */
import { activityInfo } from '@temporalio/activity';
import { Connection } from 'pg';

export interface DatabaseCost {
  /** Commands that the server is told to run, `begin`, settings and `commit` among them. */
  readonly statements: number;
  /** Messages after which an answer is waited for. */
  readonly roundTrips: number;
  /** One line each, with the activity: for people who look for what has grown. */
  readonly story: readonly string[];
}

interface Sent {
  readonly workflowId: string;
  readonly activity: string;
  readonly what: 'statement' | 'round trip';
  readonly text: string;
}

/** What `pg` leaves out or gives as undefined is the statement without a name. */
const nameOf = (name: string | undefined): string => name ?? '';

/** Where a simple query is one message of several statements. */
const countIn = (text: string): number => text.split(';').filter((part) => part.trim() !== '').length;

/** Counts until the file ends. Statements of housekeeping, which no activity runs, are nobody's. */
export function countStatements(): { of(workflowId: string): DatabaseCost } {
  const sent: Sent[] = [];
  const note = (what: Sent['what'], text: string): void => {
    const asker = currentActivity();
    if (asker !== undefined) sent.push({ ...asker, what, text });
  };
  const texts = new WeakMap<object, Map<string, string>>();
  const bound = new WeakMap<object, string>();
  const { parse, bind, execute, query, sync } = Connection.prototype;
  // Statements of one message go through an object whose prototype is the connection; its stream is the same.
  beforeAll(() => {
    Connection.prototype.parse = function (given, more) {
      const named = texts.get(this.stream) ?? new Map<string, string>();
      texts.set(this.stream, named.set(nameOf(given.name), given.text));
      parse.call(this, given, more);
    };
    Connection.prototype.bind = function (given, more) {
      bound.set(this.stream, texts.get(this.stream)?.get(nameOf(given?.statement)) ?? '');
      bind.call(this, given, more);
    };
    Connection.prototype.execute = function (given, more) {
      note('statement', bound.get(this.stream) ?? '');
      execute.call(this, given, more);
    };
    Connection.prototype.query = function (text) {
      for (let at = 0; at < countIn(text); at += 1) note('statement', text);
      note('round trip', '');
      query.call(this, text);
    };
    Connection.prototype.sync = function () {
      note('round trip', '');
      sync.call(this);
    };
  });
  afterAll(() => void Object.assign(Connection.prototype, { parse, bind, execute, query, sync }));
  return {
    of: (workflowId) => {
      const own = sent.filter((one) => one.workflowId === workflowId);
      const count = (what: Sent['what']): number => own.filter((one) => one.what === what).length;
      return {
        statements: count('statement'),
        roundTrips: count('round trip'),
        story: own.map(({ activity, what, text }) =>
          what === 'round trip' ? `${activity}: —` : `${activity}: ${text.replace(/\s+/g, ' ').trim().slice(0, 100)}`,
        ),
      };
    },
  };
}

function currentActivity(): Pick<Sent, 'workflowId' | 'activity'> | undefined {
  try {
    const { workflowExecution, activityType } = activityInfo();
    return { workflowId: workflowExecution?.workflowId ?? '', activity: activityType };
  } catch {
    return undefined;
  }
}
