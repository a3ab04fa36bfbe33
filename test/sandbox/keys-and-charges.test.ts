/** Keys, free operations, and the charge book, which agrees with the answers to 1/10,000. */
import { availabilitySchema, balanceSchema, OPERATIONS, readBalance } from '../../src/contract/index.js';
import { startSandbox, type SandboxOptions } from '../../sandbox/index.js';
import { anyText, closeSandboxes, HAPPY, paths, refreshed, send, start } from './support/client.js';

afterEach(closeSandboxes);

test('the key is read from either header; a missing or wrong key answers 401, a forbidden key 403', async () => {
  const sandbox = await start();
  const status = async (path: string, headers: Record<string, string>) => (await sandbox.get(path, headers)).status;
  expect(await status('/v1', { 'x-api-key': 'sandbox-key' })).toBe(200);
  expect(await status('/v1', { authorization: 'Bearer sandbox-key' })).toBe(200);
  for (const path of ['/v1', '/v1/conta/saldo', paths.status(HAPPY), '/v1/nothing']) {
    expect(await status(path, {})).toBe(401);
    expect(await status(path, { 'x-api-key': 'other' })).toBe(401);
    expect(await status(path, { authorization: 'Basic sandbox-key' })).toBe(401);
    expect(await status(path, { 'x-api-key': 'forbidden-key' })).toBe(403);
  }
  expect(await status('/v1/nothing', { 'x-api-key': 'sandbox-key' })).toBe(404);
  const refused = await sandbox.post(paths.refresh(HAPPY), {}, { 'x-api-key': 'forbidden-key' });
  expect([refused.status, refused.json.error.code]).toEqual([403, 'FORBIDDEN']);
  expect(await sandbox.charges()).toEqual([]);
});

test('an account without balance may make free reads, and its charged calls are refused with 402', async () => {
  const sandbox = await start();
  const key = { 'x-api-key': 'empty-key' };
  const balance = await sandbox.get('/v1/conta/saldo', key);
  expect(readBalance(balance.json)).toMatchObject({ credits: 0, currency: 'BRL', accountStatus: 'ACTIVE' });
  const refused = await sandbox.post(paths.refresh(HAPPY), {}, key);
  expect(refused.status).toBe(402);
  expect(refused.json.error).toEqual({ code: 'INSUFFICIENT_BALANCE', message: anyText });
  expect(await sandbox.charges()).toEqual([]);
});

test('availability and balance have the shapes of the interface and cost nothing', async () => {
  const sandbox = await start();
  expect(availabilitySchema.parse((await sandbox.get('/v1')).json).endpoints).toHaveLength(OPERATIONS.length);
  const balance = await sandbox.get('/v1/conta/saldo');
  balanceSchema.parse(balance.json.data);
  expect(balance.json.meta).toMatchObject({ creditsCharged: 0, creditsRemaining: 1_000, searchLogId: null });
  expect(await sandbox.charges()).toEqual([]);
});

test('a HEAD request answers 404 and costs nothing', async () => {
  const sandbox = await start({ refreshMs: 0 });
  await refreshed(sandbox, HAPPY);
  const before = (await sandbox.charges()).length;
  const head = await send(sandbox.url + paths.documents(HAPPY), {
    method: 'HEAD',
    headers: { 'x-api-key': 'sandbox-key' },
  });
  expect(head.status).toBe(404);
  expect(await sandbox.charges()).toHaveLength(before);
});

test('the balance is exactly the opening balance minus all charges, also after concurrent calls at odd prices', async () => {
  const prices = { requestRefresh: '0.0333', listPublicDocuments: '0.07' };
  const sandbox = await start({ openingBalance: '1.0001', prices, refreshMs: 0 });
  await refreshed(sandbox, HAPPY);
  await Promise.all(Array.from({ length: 10 }, () => sandbox.get(paths.documents(HAPPY))));
  await Promise.all(Array.from({ length: 20 }, () => sandbox.post(paths.refresh(HAPPY))));
  const charges = await sandbox.charges();
  const spent = charges.reduce((sum, { amount }) => sum + amount, 0);
  const balance = await sandbox.get('/v1/conta/saldo');
  expect(readBalance(balance.json)!.credits).toBe(10_001 - spent);
  expect(charges.map(({ n }) => n)).toEqual(charges.map((_, index) => index + 1));
  charges.reduce((left, charge) => {
    expect(charge.balanceAfter).toBe(left - charge.amount);
    return charge.balanceAfter;
  }, 10_001);
  const refusals = (await sandbox.requests()).filter(({ status }) => status === 402);
  expect(10_001 - spent).toBeLessThan(333);
  expect(charges.length + refusals.length).toBe(31);
});

test('the request log records operation, charge and end of every request, and never the key', async () => {
  const sandbox = await start();
  await sandbox.post(paths.refresh(HAPPY));
  await sandbox.get('/v1', {});
  const log = await sandbox.requests();
  expect(log).toMatchObject([
    { operation: 'requestRefresh', method: 'POST', status: 202, charge: 1, fault: null, flushed: 'all' },
    { operation: 'getAvailability', method: 'GET', status: 401, charge: null, keyHash: null },
  ]);
  const [charge] = await sandbox.charges();
  expect(charge).toMatchObject({ keyHash: log[0]!.keyHash, connection: log[0]!.connection });
  expect(JSON.stringify([log, charge])).not.toContain('sandbox-key');
});

test('ordinary cases have 0 to 5 documents, and about a quarter of them were refreshed yesterday', async () => {
  const { traitsOf } = await import('../../sandbox/cases/traits.js');
  const traits = Array.from({ length: 2_000 }, (_, n) => traitsOf('tramita', `${n}`.padStart(20, '9')));
  expect(new Set(traits.map(({ documents }) => documents))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  const yesterday = traits.filter(({ refreshedYesterday }) => refreshedYesterday).length;
  expect(yesterday).toBeGreaterThan(400);
  expect(yesterday).toBeLessThan(600);
});

test('startSandbox rejects an invalid option with its name and what was seen, and a port in use', async () => {
  await expect(startSandbox({ refreshMs: -1 })).rejects.toThrow(/tramita: sandbox options: refreshMs: .*; seen: -1$/);
  await expect(startSandbox({ refreshMS: 5 } as SandboxOptions)).rejects.toThrow(
    /refreshMS.*; known members are port, .*, refreshMs, /,
  );
  await expect(startSandbox({ openingBalance: '1,5' })).rejects.toThrow(/openingBalance: must be a decimal string/);
  const sandbox = await start();
  const { port } = new URL(sandbox.url);
  await expect(startSandbox({ port: Number(port) })).rejects.toThrow(
    `tramita: the sandbox cannot listen on 127.0.0.1:${port} (EADDRINUSE); free the port, or give another one`,
  );
  const secret = { url: 'http://127.0.0.1:1/x', secret: 7 as unknown as string };
  await expect(startSandbox({ webhook: secret })).rejects.toThrow(/^(?!.*seen).*webhook\.secret/);
});
