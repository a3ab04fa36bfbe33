/**
 * One sandbox as a soak uses it: its control interface, its charge book, read incrementally, and calls of the harness itself
 * (preparations), whose charges and requests belong to no flow and are left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  API_KEYS,
  controlOf,
  startSandbox,
  type Charge,
  type Control,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../sandbox/index.js';

interface ArmedFault {
  readonly id: number;
  readonly fired: number;
}

export interface Service {
  /** Also the name of the account that it serves. */
  readonly name: string;
  readonly sandbox: Sandbox;
  /** Retries when a connection is closed. */
  readonly control: Control;
  /** `label`: the name under which its firings are counted. */
  arm(fault: Readonly<Record<string, unknown>>, label?: string): Promise<void>;
  /** How often the faults of each label have fired. */
  fired(): Promise<ReadonlyMap<string, number>>;
  /** All charges so far, without those of the harness. */
  charges(): Promise<readonly Charge[]>;
  requests(): Promise<readonly ReceivedRequest[]>;
  /** Includes requests of the harness. */
  received(): Promise<readonly ReceivedRequest[]>;
  post(target: string, body: unknown): Promise<Response>;
  /** One call of the harness itself, followed to its final answer. */
  prepare(method: string, target: string, body?: unknown): Promise<{ readonly json: unknown }>;
}

const KEY = { 'x-api-key': API_KEYS.works, 'content-type': 'application/json' };

export async function startService(name: string, options: SandboxOptions = {}): Promise<Service> {
  const sandbox = await startSandbox({
    refreshMs: 300,
    pollAfterMs: 200,
    requestLogSize: 1_000_000,
    openingBalance: '10000000',
    rateLimits: { legacyPerMinute: 0, perMinute: 0 },
    ...options,
  });
  const known: Charge[] = [];
  const labels = new Map<number, string>();
  const own = { searches: new Set<string>(), requests: new Set<string>(), calls: new Map<string, number>() };
  const ask = controlOf(sandbox.controlUrl);
  const control = async <T>(path: string, body?: unknown): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask<T>(path, body);
      } catch (error) {
        // F0 also closes connections of the harness now and then.
        if (attempt === 5 || (error as Error).message.startsWith('tramita: ')) throw error;
      }
    }
  };
  const isOwn = ({ searchLogId, requestId }: Charge): boolean =>
    own.searches.has(searchLogId) || (requestId !== null && own.requests.has(requestId));
  const readOn = async (): Promise<void> => {
    const after = known.at(-1)?.n ?? 0;
    const { charges } = await control<{ charges: readonly Charge[] }>(`/charges?after=${after}`);
    // Two readers may have read at the same time.
    for (const charge of charges) if (charge.n > (known.at(-1)?.n ?? 0)) known.push(charge);
  };

  const received = async (): Promise<readonly ReceivedRequest[]> =>
    (await control<{ requests: ReceivedRequest[] }>('/requests')).requests;

  return {
    name,
    sandbox,
    control,
    received,
    arm: async (fault, label) => {
      const { id } = await control<ArmedFault>('/faults', fault);
      if (label !== undefined) labels.set(id, label);
    },
    fired: async () => {
      const times = new Map([...labels.values()].map((label) => [label, 0]));
      for (const { id, fired } of (await control<{ faults: ArmedFault[] }>('/faults')).faults) {
        const label = labels.get(id);
        if (label !== undefined) times.set(label, (times.get(label) ?? 0) + fired);
      }
      return times;
    },
    charges: async () => {
      await readOn();
      return known.filter((charge) => !isOwn(charge));
    },
    requests: async () => {
      await readOn();
      const paid = new Set<number | null>(known.filter(isOwn).map(({ n }) => n));
      const left = new Map(own.calls);
      // Requests with a charge of the harness are its own. Of equal requests without one, as many as it has made.
      const others = (await received()).filter((request) => {
        const isPaid = paid.has(request.charge);
        if (isPaid) take(left, request);
        return !isPaid;
      });
      return others.filter((request) => request.charge !== null || !take(left, request));
    },
    post: (target, body) => fetch(sandbox.url + target, { method: 'POST', headers: KEY, body: JSON.stringify(body) }),
    prepare: async (method, target, body) => {
      own.calls.set(`${method} ${target}`, (own.calls.get(`${method} ${target}`) ?? 0) + 1);
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      let answer = await fetch(sandbox.url + target, { method, headers: KEY, ...text });
      while (answer.status === 202) {
        const location = answer.headers.get('location') ?? '';
        own.requests.add(location.split('/').at(-1) ?? '');
        await answer.arrayBuffer();
        await sleep(50);
        answer = await fetch(location, { headers: KEY });
      }
      const json = JSON.parse(await answer.text()) as { meta?: { searchLogId?: string } };
      if (json.meta?.searchLogId !== undefined) own.searches.add(json.meta.searchLogId);
      return { json };
    },
  };
}

/** Takes one of the remaining calls; false when there is none. */
function take(left: Map<string, number>, { method, target }: ReceivedRequest): boolean {
  const call = `${method} ${target}`;
  const count = left.get(call) ?? 0;
  if (count > 0) left.set(call, count - 1);
  return count > 0;
}
