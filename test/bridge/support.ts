/** A bridge on free loopback ports over an inbox in memory, raw sockets to attack it with, and a log that can be read. */
import { connect } from 'node:net';
import { request } from 'node:http';
import {
  buildDeliveryHeaders,
  createBridge,
  type Bridge,
  type BridgeInbox,
  type BridgeOptions,
  type SignalWake,
} from '../../src/bridge/index.js';

export const SECRET = 'secret-0123456789abcdef';
export const TOKEN = 'token-0123456789abcdef';
export const CNJ = '10000015120268260100';

type Wake = Parameters<BridgeInbox['markWoken']>[0][number];
type Incoming = Parameters<BridgeInbox['record']>[0];

export interface MemoryInbox extends BridgeInbox {
  readonly events: Map<string, Incoming>;
  /** Waiter key → workflow ids. */
  readonly waiters: Map<string, Set<string>>;
  readonly owed: Wake[];
  /** Runs inside `record`, before and after the commit. */
  readonly hooks: { before: () => Promise<void>; after: () => Promise<void> };
}

/**
 * The semantics of the real inbox without the database: deduplication by account and id, conflicts, wakes owed until marked.
 * Unlike the real one it does not know that news wakes no flow.
 */
export function memoryInbox(): MemoryInbox {
  const events = new Map<string, Incoming>();
  const waiters = new Map<string, Set<string>>();
  const owed: (Wake & { readonly sinceMs?: number })[] = [];
  const taken = new Set<Wake>();
  const nothing = (): Promise<void> => Promise.resolve();
  const inbox: MemoryInbox = {
    events,
    waiters,
    owed,
    hooks: { before: nothing, after: nothing },
    record: async (event) => {
      await inbox.hooks.before();
      const known = events.get(`${event.account}/${event.eventId}`);
      const conflict = known !== undefined && known.bodySha256 !== event.bodySha256;
      const key = `${event.account}/${event.eventId}${conflict ? `#${event.bodySha256}` : ''}`;
      if (events.has(key)) return { duplicate: true, conflict: false, wakes: [] };
      events.set(key, event);
      const workflowIds = new Set(event.keys.flatMap((name) => [...(waiters.get(name) ?? [])]));
      const wakes = [...workflowIds].map((workflowId) => ({ eventKey: key, workflowId }));
      owed.push(...wakes.map((wake) => ({ ...wake, event: event.event, sinceMs: Date.now() })));
      await inbox.hooks.after();
      return { duplicate: false, conflict, wakes };
    },
    markWoken: (wakes) => {
      for (const wake of wakes) {
        const index = owed.findIndex((mine) => mine.eventKey === wake.eventKey && mine.workflowId === wake.workflowId);
        if (index >= 0) owed.splice(index, 1);
      }
      return Promise.resolve();
    },
    takeUnwoken: async ({ limit, olderThanMs }, signal) => {
      const isDue = (sinceMs = 0): boolean => Date.now() - sinceMs >= olderThanMs;
      const mine = owed.filter((wake) => !taken.has(wake) && isDue(wake.sinceMs)).slice(0, limit);
      mine.forEach((wake) => taken.add(wake));
      try {
        const done = mine.length === 0 ? [] : await signal(mine);
        await inbox.markWoken(done);
        return done.length;
      } finally {
        mine.forEach((wake) => taken.delete(wake));
      }
    },
    dropWaiters: ({ workflowId }) => {
      for (const ids of waiters.values()) ids.delete(workflowId);
      return Promise.resolve();
    },
  };
  return inbox;
}

/** A relay that leaves a young wake to the bridge: with that of `withBridge`, both may send it, and the flow gets two. */
export const LATE_RELAY = { pauseMs: 20, maxPauseMs: 80, olderThanMs: 3_600_000 };

export interface Rig {
  readonly bridge: Bridge;
  readonly port: number;
  readonly inbox: MemoryInbox;
  readonly signals: { readonly workflowId: string; readonly payload: unknown }[];
  readonly logs: string[];
  readonly metric: (series: string) => Promise<number>;
}

/** Of a bridge with one account on free ports. */
export const BRIDGE_OPTIONS = {
  listen: { host: '127.0.0.1', port: 0 },
  opsListen: { host: '127.0.0.1', port: 0 },
  accounts: { default: { secrets: [SECRET], secretForm: 'utf8', tokens: [] } },
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  clock: () => Date.now(),
} satisfies Partial<BridgeOptions>;

/** Starts a bridge, runs `test`, and closes the bridge whatever happens. */
export async function withBridge(
  options: Partial<BridgeOptions> & { readonly inbox?: MemoryInbox },
  test: (rig: Rig) => Promise<void>,
): Promise<void> {
  const inbox = options.inbox ?? memoryInbox();
  const signals: Rig['signals'] = [];
  const logs: string[] = [];
  const write = (fields: object, message: string): void => void logs.push(JSON.stringify({ ...fields, message }));
  const signalWake: SignalWake =
    options.signalWake ??
    ((workflowId, payload) => {
      signals.push({ workflowId, payload });
      return Promise.resolve();
    });
  const bridge = await createBridge({
    ...BRIDGE_OPTIONS,
    accounts: {
      default: { secrets: [SECRET], secretForm: 'utf8', tokens: [] },
      both: { secrets: ['newer-secret-0123456', SECRET], secretForm: 'utf8', tokens: [TOKEN] },
    },
    log: { info: write, warn: write, error: write },
    relay: { pauseMs: 20, maxPauseMs: 80, olderThanMs: 0 },
    ...options,
    inbox,
    signalWake,
  });
  try {
    const metric = async (series: string): Promise<number> => {
      const text = await (await fetch(`${bridge.opsUrl}/metrics`)).text();
      const line = text.split('\n').find((candidate) => candidate.startsWith(`tramita_bridge_${series} `));
      return line === undefined ? 0 : Number(line.split(' ').at(-1));
    };
    await test({ bridge, port: Number(new URL(bridge.url).port), inbox, signals, logs, metric });
  } finally {
    await bridge.close();
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One delivery over a socket of its own; `headers` replaces or removes (undefined) what a genuine delivery has. */
export function deliver(
  port: number,
  body: Buffer | string | object,
  options: {
    readonly path?: string;
    readonly secret?: string;
    readonly token?: string;
    readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  } = {},
): Promise<Reply> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const genuine = buildDeliveryHeaders({
    body: bytes,
    secret: options.secret ?? SECRET,
    ...(options.token === undefined ? {} : { token: options.token }),
  });
  const given: Record<string, string | string[] | undefined> = {
    ...genuine,
    'content-length': String(bytes.length),
    ...options.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', path: options.path ?? '/webhooks', headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
          });
        });
        answer.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** Writes bytes as they are and returns all that comes back until the peer closes or `done` is true. */
export function speak(
  port: number,
  text: string | readonly (string | Buffer)[],
  done: (answer: string) => boolean = (answer) => answer.includes('\r\n\r\n'),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const deadline = setTimeout(() => end(new Error(`no answer within 15 s, got ${JSON.stringify(answer)}`)), 15_000);
    const end = (problem?: Error): void => {
      clearTimeout(deadline);
      socket.destroy();
      if (problem === undefined) resolve(answer);
      else reject(problem);
    };
    socket.on('connect', () => (typeof text === 'string' ? [text] : text).forEach((part) => socket.write(part)));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (done(answer)) end();
    });
    socket.on('close', () => end());
    socket.on('error', () => end());
  });
}
