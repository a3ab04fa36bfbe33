/**
 * One sandbox as a soak sees it: its control interface, its charge book read as it grows, and calls of the harness's own
 * (preparations), whose charges belong to nobody and are left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  controlOf,
  startSandbox,
  type Charge,
  type Control,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../../sandbox/index.js';

export interface ArmedFault {
  readonly id: number;
  readonly fired: number;
  readonly left: number;
}

export interface Service {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly control: Control;
  arm(fault: Readonly<Record<string, unknown>>): Promise<number>;
  faults(): Promise<readonly ArmedFault[]>;
  /** Charges so far, without those of preparations. */
  charges(): Promise<readonly Charge[]>;
  chargesAbout(about: string): Promise<readonly Charge[]>;
  requests(): Promise<readonly ReceivedRequest[]>;
  /** `<method> <target>` of the harness's own calls, and how often each was made. */
  readonly ownCalls: ReadonlyMap<string, number>;
  /** One call of the harness's own, followed to its final answer. */
  prepare(method: string, target: string, body?: unknown): Promise<{ readonly json: unknown }>;
  close(): Promise<void>;
}

const KEY = { 'x-api-key': 'sandbox-key' };

export async function startService(name: string, options: SandboxOptions): Promise<Service> {
  const sandbox = await startSandbox({
    refreshMs: 150,
    queryMs: 150,
    pollAfterMs: 100,
    requestLogSize: 500_000,
    openingBalance: '10000000',
    rateLimits: { legacyPerMinute: 0 },
    ...options,
  });
  const known: Charge[] = [];
  const byAbout = new Map<string, Charge[]>();
  const own = { searches: new Set<string>(), requests: new Set<string>(), calls: new Map<string, number>() };

  const control = controlOf(sandbox.controlUrl);
  const isOwn = ({ searchLogId, requestId }: Charge): boolean =>
    own.searches.has(searchLogId) || (requestId !== null && own.requests.has(requestId));
  const readOn = async (): Promise<void> => {
    const after = known.at(-1)?.n ?? 0;
    const { charges } = await control<{ charges: readonly Charge[] }>(`/charges?after=${after}`);
    // Two readers may have asked at once.
    for (const charge of charges) {
      if (charge.n <= (known.at(-1)?.n ?? 0)) continue;
      known.push(charge);
      const about = byAbout.get(charge.about) ?? [];
      about.push(charge);
      byAbout.set(charge.about, about);
    }
  };

  return {
    name,
    sandbox,
    control,
    arm: async (fault) => (await control<ArmedFault>('/faults', fault)).id,
    faults: async () => (await control<{ faults: ArmedFault[] }>('/faults')).faults,
    charges: async () => {
      await readOn();
      return known.filter((charge) => !isOwn(charge));
    },
    chargesAbout: async (about) => {
      await readOn();
      return (byAbout.get(about) ?? []).filter((charge) => !isOwn(charge));
    },
    requests: async () => (await control<{ requests: ReceivedRequest[] }>('/requests')).requests,
    ownCalls: own.calls,
    prepare: async (method, target, body) => {
      own.calls.set(`${method} ${target}`, (own.calls.get(`${method} ${target}`) ?? 0) + 1);
      let answer = await fetch(sandbox.url + target, {
        method,
        headers: { ...KEY, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
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
    close: () => sandbox.close(),
  };
}
