/** The three questions and one setting that the local stack has for the sandbox's control interface (loopback only). */

const ANSWER_WITHIN_MS = 5_000;

/** What the sandbox charged, from its own book; amounts are integers of 1/10,000. */
export interface SandboxCharge {
  readonly n: number;
  readonly operation: string;
  readonly subject: { readonly cnj: string };
  readonly amount: number;
  readonly requestId: string | null;
  readonly metaRequestId: string;
  readonly searchLogId: string;
}

export interface SandboxRequest {
  readonly n: number;
  readonly origin: 'api' | 'documents';
  readonly operation: string | null;
  readonly method: string;
  /** Of origin `documents` a signed link: not for printing. */
  readonly target: string;
  readonly status: number | null;
  /** Number in the charge book. */
  readonly charge: number | null;
}

interface SandboxDelivery {
  readonly deliveryId: string;
  readonly event: string;
  readonly state: string;
  readonly attempts: readonly { readonly status: number | null }[];
}

export interface SandboxControl {
  charges(): Promise<readonly SandboxCharge[]>;
  requests(): Promise<readonly SandboxRequest[]>;
  deliveries(): Promise<readonly SandboxDelivery[]>;
  /** The account's dashboard: where webhooks go and what they are signed with. */
  setWebhook(webhook: { readonly url: string; readonly secret: string }): Promise<void>;
}

export function controlSandbox(controlUrl: string): SandboxControl {
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${controlUrl}${path}`, {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`tramita: the sandbox's control interface answered ${response.status} to ${path}`);
    return (await response.json()) as T;
  };
  return {
    charges: async () => (await ask<{ charges: SandboxCharge[] }>('/charges')).charges,
    requests: async () => (await ask<{ requests: SandboxRequest[] }>('/requests')).requests,
    deliveries: async () => (await ask<{ deliveries: SandboxDelivery[] }>('/events')).deliveries,
    setWebhook: async (webhook) => {
      await ask('/webhook', webhook);
    },
  };
}
