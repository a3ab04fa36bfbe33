/** Which faults were armed under which label, and how often those of each label have fired. */
import type { Service } from '../service.js';

export interface Armed {
  /** `trap`: it fires only where tramita does what it must not. */
  arm(order: {
    readonly service: Service;
    readonly fault: Readonly<Record<string, unknown>>;
    readonly label: string;
    readonly trap?: boolean;
  }): Promise<void>;
  fired(): Promise<Fired>;
}

export interface Fired {
  readonly fired: ReadonlyMap<string, number>;
  /** Labels of traps. */
  readonly traps: ReadonlySet<string>;
}

export function createArmed(): Armed {
  const armed: { readonly service: Service; readonly id: number; readonly label: string }[] = [];
  const traps = new Set<string>();
  return {
    arm: async ({ service, fault, label, trap = false }) => {
      armed.push({ service, label, id: await service.arm(fault) });
      if (trap) traps.add(label);
    },
    fired: async () => {
      const fired = new Map<string, number>();
      for (const service of new Set(armed.map((each) => each.service))) {
        const times = new Map((await service.faults()).map((fault) => [fault.id, fault.fired]));
        for (const { id, label } of armed.filter((each) => each.service === service)) {
          fired.set(label, (fired.get(label) ?? 0) + (times.get(id) ?? 0));
        }
      }
      return { fired, traps };
    },
  };
}
