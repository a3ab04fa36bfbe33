/**
 * Reads request bodies. The memory of all bodies together is bounded, and a body that arrives too slowly is given up. A small
 * body costs no more than its connection and never waits. A larger one is read only after its whole length is reserved in the
 * budget, so that two bodies can never wait for each other halfway.
 */
import type { FastifyRequest } from 'fastify';
import type { ByteBudget } from '../byte-budget.js';
import { MAX_BODY_BYTES } from '../handle.js';

/** Node's own request. */
export type RawRequest = FastifyRequest['raw'];

/** A body, and the function that returns its bytes to the budget. */
export interface Received {
  readonly bytes: Buffer;
  readonly release: () => void;
}

export interface Intake {
  /** Rejects with a `statusCode`: 413 too large, 408 too slow, 503 no room in time, 400 cut off. */
  readonly receive: (request: RawRequest) => Promise<Received>;
  readonly stop: () => void;
}

/** Observed deliveries have about 2 KB. If all 4,096 connections hold a small body, that is 32 MB. */
const SMALL_BYTES = 8_192;
/** Until a body is complete, every further 32 KB must arrive within 2 s: 16 KB a second. */
const STEP_BYTES = 32_768;
const STEP_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 250;

interface Arriving {
  readonly giveUp: () => void;
  bytes: number;
  /** Where the current step began, and when. */
  stepBytes: number;
  stepMs: number;
}

export function createIntake(budget: ByteBudget): Intake {
  const arriving = new Set<Arriving>();
  const checking = setInterval(() => {
    const nowMs = performance.now();
    for (const body of arriving) if (nowMs - body.stepMs > STEP_WITHIN_MS) body.giveUp();
  }, LOOK_EVERY_MS).unref();

  const reserve = async (bytes: number): Promise<() => void> => {
    const release = await budget.reserve(bytes);
    if (release === undefined) throw refusal(503);
    return release;
  };

  /** Reads to the end, or until there are more than `most` bytes. */
  const read = (request: RawRequest, chunks: Buffer[], most: number): Promise<'end' | 'more'> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        arriving.delete(body);
        request.pause();
        request.off('data', take).off('end', end).off('close', cut);
      };
      const giveUp = (): void => {
        stop();
        reject(refusal(408));
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        body.bytes += chunk.length;
        if (body.bytes > most) {
          stop();
          resolve('more');
        } else if (body.bytes - body.stepBytes >= STEP_BYTES) {
          body.stepBytes = body.bytes;
          body.stepMs = performance.now();
        }
      };
      const end = (): void => {
        stop();
        resolve('end');
      };
      const cut = (): void => {
        stop();
        reject(refusal(400));
      };
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      const body: Arriving = { giveUp, bytes, stepBytes: bytes, stepMs: performance.now() };
      if (request.destroyed) {
        cut();
        return;
      }
      arriving.add(body);
      request.on('data', take).on('end', end).on('close', cut).resume();
    });

  const receive: Intake['receive'] = async (request) => {
    // Without this header the body is chunked, and its length is known only at its end.
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > MAX_BODY_BYTES) throw refusal(413);
    const chunks: Buffer[] = [];
    // A small body reserves nothing.
    let release = declared > SMALL_BYTES ? await reserve(declared) : () => undefined;
    try {
      if (declared > SMALL_BYTES) await read(request, chunks, MAX_BODY_BYTES);
      else if ((await read(request, chunks, SMALL_BYTES)) === 'more') {
        release = await reserve(MAX_BODY_BYTES);
        if ((await read(request, chunks, MAX_BODY_BYTES)) === 'more') throw refusal(413);
      }
      return { bytes: Buffer.concat(chunks), release };
    } catch (error) {
      release();
      throw error;
    }
  };
  return { receive, stop: () => clearInterval(checking) };
}

function refusal(statusCode: 400 | 408 | 413 | 503): Error {
  return Object.assign(new Error('tramita: the body was not taken'), { statusCode });
}
