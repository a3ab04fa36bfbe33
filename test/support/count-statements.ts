/** Statements that activities of workers in this process send to PostgreSQL, by workflow, counted where `pg` writes them. */
import { activityInfo } from '@temporalio/activity';
import { Connection } from 'pg';

export interface DatabaseCost {
  /** Commands that the server runs, including `begin`, settings and `commit`. */
  readonly statements: number;
  /** Messages that wait for an answer. */
  readonly roundTrips: number;
  /** One line each, with the activity, to find out what has grown. */
  readonly story: readonly string[];
}

interface Sent {
  readonly workflowId: string;
  readonly activity: string;
  readonly what: 'statement' | 'round trip';
  readonly text: string;
}

/** `pg` omits the name, or gives undefined, for the unnamed statement. */
const nameOf = (name: string | undefined): string => name ?? '';

/** Number of statements in a simple query, which is one message. */
const countIn = (text: string): number => text.split(';').filter((part) => part.trim() !== '').length;

/**
 * Looks that the flows of a worker share for a second or more (src/workers/share-looks.ts). How many of them one flow makes
 * depends on the machine's speed, so they are not counted.
 */
const SHARED_LOOKS = [
  /^\s*select failures, outage_since as "outageSinceMs"/,
  /^\s*insert into tramita\.duty/,
  /\bas delivered\s+from judged\b/,
];

/** Counts until the test file ends. Statements outside of activities, such as housekeeping, are not counted. */
export function countStatements(): { of(workflowId: string): DatabaseCost } {
  const sent: Sent[] = [];
  const note = (what: Sent['what'], text: string): void => {
    const activity = currentActivity();
    if (activity !== undefined) sent.push({ ...activity, what, text });
  };
  const texts = new WeakMap<object, Map<string, string>>();
  const bound = new WeakMap<object, string>();
  const { parse, bind, execute, query, sync } = Connection.prototype;
  // Statements that share a message go through an object whose prototype is the connection. Its stream is the same.
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
      const own = withoutSharedLooks(sent.filter((each) => each.workflowId === workflowId));
      const count = (what: Sent['what']): number => own.filter((each) => each.what === what).length;
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

/** Leaves out the messages of shared looks, with the settings that they carry. */
function withoutSharedLooks(sent: readonly Sent[]): readonly Sent[] {
  const messages: Sent[][] = [[]];
  for (const each of sent) {
    messages.at(-1)?.push(each);
    if (each.what === 'round trip') messages.push([]);
  }
  return messages.filter((message) => !message.some(({ text }) => SHARED_LOOKS.some((look) => look.test(text)))).flat();
}

function currentActivity(): Pick<Sent, 'workflowId' | 'activity'> | undefined {
  try {
    const { workflowExecution, activityType } = activityInfo();
    return { workflowId: workflowExecution?.workflowId ?? '', activity: activityType };
  } catch {
    return undefined;
  }
}
