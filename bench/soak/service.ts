/**
 * One sandbox as a soak sees it: its control interface, its charge book read as it grows, and calls of the harness's own
 * (preparations), whose charges belong to nobody and are left out.
 */
import {
  startSandbox,
  type Charge,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../../sandbox/index.js';

export interface ArmedFault {
  readonly id: number;
  readonly fired: number;
  readonly left: number;
}

export interface Prepared {
  readonly status: number;
  readonly json: unknown;
}

export interface Service {
  readonly name: string;
  readonly sandbox: Sandbox;
  control(path: string, body?: unknown): Promise<unknown>;
  arm(fault: Readonly<Record<string, unknown>>): Promise<number>;
  faults(): Promise<readonly ArmedFault[]>;
  /** Charges so far, without those of preparations. */
  charges(): Promise<readonly Charge[]>;
  chargesAbout(about: string): Promise<readonly Charge[]>;
  requests(): Promise<readonly ReceivedRequest[]>;
  /** `<method> <target>` of the harness's own calls, and how often each was made. */
  readonly ownCalls: ReadonlyMap<string, number>;
  /** One call of the harness's own, followed to its final answer. */
  prepare(method: string, target: string, body?: unknown): Promise<Prepared>;
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

  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${sandbox.controlUrl}${path}`, {
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`control ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };
  const isOwn = ({ searchLogId, requestId }: Charge): boolean =>
    own.searches.has(searchLogId) || (requestId !== null && own.requests.has(requestId));
  const readOn = async (): Promise<void> => {
    const after = known.at(-1)?.n ?? 0;
    const { charges } = (await control(`/charges?after=${after}`)) as { charges: readonly Charge[] };
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
    arm: async (fault) => ((await control('/faults', fault)) as ArmedFault).id,
    faults: async () => ((await control('/faults')) as { faults: ArmedFault[] }).faults,
    charges: async () => {
      await readOn();
      return known.filter((charge) => !isOwn(charge));
    },
    chargesAbout: async (about) => {
      await readOn();
      return (byAbout.get(about) ?? []).filter((charge) => !isOwn(charge));
    },
    requests: async () => ((await control('/requests')) as { requests: ReceivedRequest[] }).requests,
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
        await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await fetch(location, { headers: KEY });
      }
      const json = JSON.parse(await answer.text()) as { meta?: { searchLogId?: string } };
      if (json.meta?.searchLogId !== undefined) own.searches.add(json.meta.searchLogId);
      return { status: answer.status, json };
    },
    close: () => sandbox.close(),
  };
}
