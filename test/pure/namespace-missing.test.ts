/** The errors of a worker whose Temporal namespace is missing, forbidden or unreachable. */
import { ensureSearchAttributes } from '../../src/workers/search-attributes.js';

type Server = Parameters<typeof ensureSearchAttributes>[0];

function serverThatFailsWith(code: number): Server {
  const listSearchAttributes = () => Promise.reject(Object.assign(new Error('what the server says'), { code }));
  return {
    operatorService: { listSearchAttributes } as unknown as Server['operatorService'],
    withMetadata: (_metadata, call) => call(),
  };
}

it.each([
  ['does not exist', 5, /^tramita: Temporal has no namespace "nowhere"; set TEMPORAL_NAMESPACE, or create it$/],
  ['is forbidden', 7, /^tramita: Temporal refuses us in namespace "nowhere"; set /],
  ['cannot be reached', 14, /^what the server says$/],
])('ensureSearchAttributes explains a namespace that %s', async (_what, code, message) => {
  await expect(ensureSearchAttributes(serverThatFailsWith(code), 'nowhere')).rejects.toThrow(message);
});
