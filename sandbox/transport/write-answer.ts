/**
 * Writes an answer to the socket, whole or broken in the way a fault says, and returns how much of it was handed to the
 * network. Raw sockets: a framework would repair exactly what has to be broken here.
 */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Answer } from '../answer.js';
import { alterAnswer, type Surroundings } from '../faults/alter-answer.js';
import type { Fault } from '../faults/fault-types.js';
import type { Flushed } from '../state/charge-book.js';
import { pause } from './pause.js';

export interface WriteInput {
  readonly response: ServerResponse;
  readonly answer: Answer;
  readonly fault: Fault | undefined;
  /** `Date` of the answer, by the sandbox's clock. */
  readonly nowMs: number;
  readonly surroundings: Surroundings;
  readonly ended: AbortSignal;
}

export async function writeAnswer(input: WriteInput): Promise<Flushed> {
  const { response, fault, nowMs } = input;
  const answer = fault === undefined ? input.answer : alterAnswer(input.answer, fault, input.surroundings);
  if (response.destroyed || response.socket === null) return 'none';
  switch (fault?.fault) {
    case 'F4':
      response.socket.destroy();
      return 'none';
    case 'F10':
    case 'F11':
    case 'F14':
      response.socket.resetAndDestroy();
      return 'none';
    case 'F5':
      return cutInHead(response, answer.status);
    case 'F6':
      return cutInBody(response, answer, { cut: fault.cut, nowMs });
    case 'F8':
      return drip(response, answer, { ...fault, nowMs, ended: input.ended });
    default:
      return writeWhole(response, answer, nowMs);
  }
}

function writeWhole(response: ServerResponse, answer: Answer, nowMs: number): Promise<Flushed> {
  return new Promise((resolve) => {
    response.once('finish', () => resolve('all'));
    response.once('close', () => resolve(response.writableFinished ? 'all' : 'part'));
    writeHead(response, answer, { nowMs, length: answer.body.length });
    response.end(answer.body);
  });
}

function cutInHead(response: ServerResponse, status: number): Promise<Flushed> {
  const { socket } = response;
  return new Promise((resolve) => {
    const text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: applica`;
    socket?.end(text, () => {
      socket.destroySoon();
      resolve('part');
    });
  });
}

function cutInBody(
  response: ServerResponse,
  answer: Answer,
  options: { readonly cut: 'length' | 'chunked' | 'close'; readonly nowMs: number },
): Promise<Flushed> {
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  const length = options.cut === 'length' ? answer.body.length : undefined;
  if (options.cut === 'close') {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  }
  writeHead(response, answer, { nowMs: options.nowMs, length });
  return new Promise((resolve) => {
    if (options.cut === 'close') response.end(half, () => resolve('part'));
    else {
      response.write(half, () => {
        response.socket?.destroySoon();
        resolve('part');
      });
    }
  });
}

async function drip(
  response: ServerResponse,
  answer: Answer,
  options: { readonly everyMs: number; readonly bytes: number; readonly nowMs: number; readonly ended: AbortSignal },
): Promise<Flushed> {
  writeHead(response, answer, { nowMs: options.nowMs, length: answer.body.length });
  response.flushHeaders();
  for (let at = 0; at < answer.body.length; at += options.bytes) {
    if (!(await pause(options.everyMs, options.ended)) || response.destroyed) return 'part';
    response.write(answer.body.subarray(at, at + options.bytes));
  }
  response.end();
  return 'all';
}

function writeHead(
  response: ServerResponse,
  answer: Answer,
  options: { readonly nowMs: number; readonly length: number | undefined },
): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    date: new Date(options.nowMs).toUTCString(),
    ...(options.length === undefined ? {} : { 'content-length': String(options.length) }),
  });
}
