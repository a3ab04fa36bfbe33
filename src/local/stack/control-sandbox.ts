/** The part of the sandbox's control interface that the local stack uses (loopback only). */
import { controlOf } from '../../../sandbox/control-client.js';
import type { Charge, Delivery, ReceivedRequest } from '../../../sandbox/index.js';

const ANSWER_WITHIN_MS = 5_000;

export interface SandboxControl {
  /** From its own charge book; amounts are integers of 1/10,000. */
  charges(): Promise<readonly Charge[]>;
  /** `target` of origin `documents` is a signed link: not for printing. */
  requests(): Promise<readonly ReceivedRequest[]>;
  deliveries(): Promise<readonly Delivery[]>;
  /** Sets where webhooks go and what they are signed with, like the account's dashboard. */
  setWebhook(webhook: { readonly url: string; readonly secret: string }): Promise<void>;
}

export function controlSandbox(controlUrl: string): SandboxControl {
  const ask = controlOf(controlUrl, ANSWER_WITHIN_MS);
  return {
    charges: async () => (await ask<{ charges: Charge[] }>('/charges')).charges,
    requests: async () => (await ask<{ requests: ReceivedRequest[] }>('/requests')).requests,
    deliveries: async () => (await ask<{ deliveries: Delivery[] }>('/events')).deliveries,
    setWebhook: async (webhook) => {
      await ask('/webhook', webhook);
    },
  };
}
