import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withShutdown, type Part, type Shutdown, type ShutdownResult } from '../../src/local/index.js';

/** Runs `withShutdown` on a stand-in for the process: signals are events, and the test run gets none. */
function start<T>(body: (shutdown: Shutdown, stopped: string[]) => Promise<T>) {
  const host = new EventEmitter();
  const stopped: string[] = [];
  const result: Promise<ShutdownResult<T>> = withShutdown({
    host,
    onProgress: () => undefined,
    body: (shutdown) => body(shutdown, stopped),
  });
  return { host, stopped, result };
}

function part(name: string, stopped: string[], more: Partial<Part> = {}): Part {
  return { name, stop: () => void stopped.push(name), stopNow: () => void stopped.push(`${name} now`), ...more };
}

describe('withShutdown stops its parts in reverse order', () => {
  it('when the body ends, and returns its value', async () => {
    const { host, stopped, result } = start((shutdown, list) => {
      for (const name of ['temporal', 'postgres', 'worker']) shutdown.add(part(name, list));
      return Promise.resolve(7);
    });
    expect(await result).toEqual({ ended: 'done', value: 7 });
    expect(stopped).toEqual(['worker', 'postgres', 'temporal']);
    expect(host.eventNames()).toEqual([]);
  });

  it('when the body fails, and throws its error', async () => {
    const { stopped, result } = start((shutdown, list) => {
      shutdown.add(part('temporal', list));
      return Promise.reject(new Error('no port'));
    });
    await expect(result).rejects.toThrow('no port');
    expect(stopped).toEqual(['temporal']);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('on %s while the body waits for it', async (signal) => {
    const { host, stopped, result } = start(async (shutdown, list) => {
      shutdown.add(part('temporal', list));
      await shutdown.requested;
      list.push('body ended');
    });
    host.emit(signal);
    expect(await result).toEqual({ ended: 'requested', why: signal, signal, problems: [] });
    expect(stopped).toEqual(['body ended', 'temporal']);
  });

  it('on a signal even when the body waits for something else', async () => {
    const { host, stopped, result } = start(async (shutdown, list) => {
      shutdown.add(part('temporal', list));
      await new Promise(() => undefined);
    });
    host.emit('SIGINT');
    expect(await result).toMatchObject({ ended: 'requested', why: 'SIGINT' });
    expect(stopped).toEqual(['temporal']);
  });

  it('on a signal, and aborts work that uses its abort signal', async () => {
    const { host, result } = start(async (shutdown) => {
      await sleep(600_000, undefined, { signal: shutdown.signal });
    });
    host.emit('SIGTERM');
    expect(await result).toMatchObject({ ended: 'requested', why: 'SIGTERM' });
  });

  it('when a part asks for it because it died, once for several parts', async () => {
    const { stopped, result } = start(async (shutdown, list) => {
      shutdown.add(part('temporal', list));
      shutdown.request('worker: exit code 1');
      shutdown.request('bridge: exit code 1');
      await shutdown.requested;
    });
    expect(await result).toEqual({ ended: 'requested', why: 'worker: exit code 1', problems: [] });
    expect(stopped).toEqual(['temporal']);
  });
});

describe('withShutdown when stopping goes wrong', () => {
  it('reports a part that cannot be stopped, and stops the others', async () => {
    const { stopped, result } = start((shutdown, list) => {
      shutdown.add(part('temporal', list));
      shutdown.add(part('postgres', list, { stop: () => Promise.reject(new Error('stuck')) }));
      return Promise.resolve();
    });
    await expect(result).rejects.toThrow('tramita: postgres could not be stopped: Error: stuck');
    expect(stopped).toEqual(['temporal']);
  });

  it('stops waiting on a second Ctrl-C, but not on the echo of the first that npm passes on', async () => {
    const { host, stopped, result } = start(async (shutdown, list) => {
      shutdown.add(part('temporal', list));
      shutdown.add(part('postgres', list, { stop: () => new Promise(() => undefined) }));
      shutdown.add(part('sandbox', list));
      await shutdown.requested;
    });
    host.emit('SIGINT');
    host.emit('SIGINT');
    await sleep(1_100);
    expect(stopped).toEqual(['sandbox']);
    host.emit('SIGINT');
    expect(await result).toMatchObject({
      signal: 'SIGINT',
      problems: ['tramita: postgres did not stop in time', 'tramita: temporal was asked to stop and not waited for'],
    });
    expect(stopped).toEqual(['sandbox', 'postgres now', 'temporal now']);
  });

  it('tells every part to stop on a plain process.exit', async () => {
    const { host, stopped, result } = start(async (shutdown, list) => {
      for (const name of ['temporal', 'postgres']) shutdown.add(part(name, list, { stop: () => undefined }));
      await shutdown.requested;
    });
    host.emit('exit');
    expect(stopped).toEqual(['postgres now', 'temporal now']);
    host.emit('SIGTERM');
    await result;
  });

  it('stops a part that starts while everything is being stopped', async () => {
    let late: Shutdown | undefined;
    const stopped: string[] = [];
    const result = withShutdown({
      host: new EventEmitter(),
      onProgress: () => undefined,
      body: (shutdown) => {
        late = shutdown;
        return Promise.resolve();
      },
    });
    await result;
    expect(() => late!.add(part('worker', stopped))).toThrow(
      'tramita: worker was started while everything is being stopped',
    );
    expect(stopped).toEqual(['worker now']);
  });
});
