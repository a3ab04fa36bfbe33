/**
 * Calls a sandbox's control interface: a POST with a body, a GET without one. For soaks and tests, in this process or
 * another. A caller whose connection is closed (F0 closes some) must call again.
 */
export type Control = <T = unknown>(path: string, body?: unknown) => Promise<T>;

/**
 * `controlUrl`: from {@link Sandbox} or from the line `sandbox ready`. When the answer is not a 2xx, the promise rejects
 * with an error that names path and status; it also rejects when no answer has come within `withinMs`. An empty answer is
 * undefined.
 */
export function controlOf(controlUrl: string, withinMs?: number): Control {
  return async <T>(path: string, body?: unknown): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const post = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    const within = withinMs === undefined ? {} : { signal: AbortSignal.timeout(withinMs) };
    const answer = await fetch(`${controlUrl}${path}`, { ...post, ...within });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`tramita: control ${path}: ${answer.status} ${messageIn(text)}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

/** The sandbox's own sentence, if the answer has one; else the answer. */
function messageIn(text: string): string {
  try {
    const { message } = (JSON.parse(text) as { readonly error: { readonly message?: unknown } }).error;
    return typeof message === 'string' ? message.replace(/^tramita: /, '') : text;
  } catch {
    return text;
  }
}
