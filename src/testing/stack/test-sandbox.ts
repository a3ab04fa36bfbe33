/** The sandbox's control interface as methods. */
import { controlOf } from '../../../sandbox/control-client.js';
import type { Charge, Delivery, ReceivedRequest } from '../../../sandbox/index.js';
import type { StackFacts } from './messages.js';
import type { TestSandbox } from './types.js';

export function createTestSandbox({ url, documentsUrl, controlUrl }: StackFacts['sandbox']): TestSandbox {
  const control = controlOf(controlUrl);
  return {
    url,
    documentsUrl,
    control,
    charges: async () => (await control<{ charges: Charge[] }>('/charges')).charges,
    requests: async () => (await control<{ requests: ReceivedRequest[] }>('/requests')).requests,
    deliveries: async () => (await control<{ deliveries: Delivery[] }>('/events')).deliveries,
    fault: async (fault) => {
      await control('/faults', fault);
    },
    script: async (operation, answers) => {
      // each fault lets `after` requests pass, so all are armed now
      for (const [after, answer] of answers.entries()) {
        if (answer !== 'answer') await control('/faults', { ...answer, operation, after, times: 1 });
      }
    },
    sendEvent: async (command) => (await control<{ deliveries: Delivery[] }>('/events', command)).deliveries,
    advance: async (ms) => {
      await control('/clock', { advanceMs: ms });
    },
    now: async () => new Date((await control<{ now: string }>('/clock')).now),
  };
}
