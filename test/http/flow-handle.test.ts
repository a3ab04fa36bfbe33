/** The wait for the end of a run while the server is away, on the client of the library. */
import { createServer } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { flowHandle } from '../../src/starters/index.js';

describe('the wait for the end of a run while the server is away', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    // A port that nothing listens on.
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port));
    });
    await new Promise((resolve) => server.close(resolve));
    connection = Connection.lazy({ address: `127.0.0.1:${port}`, connectTimeout: 50, interceptors: [] });
    client = new Client({ connection });
  });
  afterAll(() => connection.close());
  const wait = (): Promise<unknown> => flowHandle(client, 'refresh.default.1', 'run').result();

  it('ends when its signal is aborted', async () => {
    await expect(client.withAbortSignal(AbortSignal.timeout(300), wait)).rejects.toMatchObject({
      name: 'ServiceError',
    });
  });

  it('ends by its deadline', async () => {
    await expect(client.withDeadline(Date.now() + 300, wait)).rejects.toMatchObject({ cause: { code: 4 } });
  });
});
