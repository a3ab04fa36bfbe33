/** A worker that looks for its search attributes in a namespace that it may not use, or that is not there. */
import { ensureSearchAttributes } from '../../src/workers/search-attributes.js';

type Server = Parameters<typeof ensureSearchAttributes>[0];

function serverThatSays(code: number): Server {
  const listSearchAttributes = () => Promise.reject(Object.assign(new Error('what the server says'), { code }));
  return {
    operatorService: { listSearchAttributes } as unknown as Server['operatorService'],
    withMetadata: (_metadata, ask) => ask(),
  };
}

it.each([
  ['is not there', 5, /^tramita: Temporal has no namespace "nowhere"; set TEMPORAL_NAMESPACE, or create it$/],
  ['is not for us', 7, /^tramita: Temporal refuses us in namespace "nowhere"; set /],
  ['cannot be asked for', 14, /^what the server says$/],
])('a namespace that %s', async (_what, code, told) => {
  await expect(ensureSearchAttributes(serverThatSays(code), 'nowhere')).rejects.toThrow(told);
});
