/** One exploration, in this thread or in a worker thread. Defects are switched per thread. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { forgetAnswers } from './answers.js';
import { switchOn, type Defect } from './defects.js';
import { explore, type Explored, type Order } from './explore.js';

export interface Task extends Omit<Order, 'onProgress'> {
  readonly title: string;
  readonly defect?: Defect;
}

export interface Run extends Explored {
  readonly title: string;
  readonly seconds: number;
}

export function runOne({ title, defect, ...order }: Task): Run {
  switchOn(defect);
  forgetAnswers();
  const startedAtMs = Date.now();
  try {
    const onProgress = (states: number, depth: number): void => {
      process.stderr.write(`  ${title}: ${states} states, ${depth} moves deep\n`);
    };
    const explored = explore({ ...order, onProgress });
    return { ...explored, title, seconds: Math.round((Date.now() - startedAtMs) / 100) / 10 };
  } finally {
    switchOn(undefined);
    forgetAnswers();
  }
}

if (!isMainThread && parentPort !== null) parentPort.postMessage(runOne(workerData as Task));
