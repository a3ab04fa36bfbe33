/** Faults that need more than one plain request: TLS, a reused connection, a paged collection, records that drift. */
import { Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { arm, firedFaults, refresh } from './support/arm.js';
import { closeSandboxes, HAPPY, KEY, paths, start, type Reply } from './support/client.js';

afterEach(closeSandboxes);

test('fault F2 cuts the TLS handshake and charges nothing; TLS calls before and after it succeed', async () => {
  const sandbox = await start();
  const { certificate } = (await sandbox.control('/tls')).json as unknown as { certificate: string };
  const call = () => sendTls(sandbox.tlsUrl + paths.refresh(HAPPY), certificate);
  expect(await call()).toBe(202);
  await arm(sandbox, { operation: '*', fault: 'F2', times: 2 });
  expect([await call(), await call()]).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(await firedFaults(sandbox)).toEqual([['F2', 2, 0]]);
  expect(await call()).toBe(202);
  expect(await sandbox.charges()).toHaveLength(2);
});

/** Returns the status or the error code; the certificate is verified. */
function sendTls(url: string, ca: string): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { method: 'POST', agent: false, ca, headers: { ...KEY, 'content-type': 'application/json' } };
    const request = httpsRequest(url, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end('{}');
  });
}

test.each([
  [false, 0],
  [true, 1],
])(
  'fault F14 resets a reused connection (request charged: %s) and leaves a new connection alone',
  async (charged, more) => {
    const sandbox = await start();
    await arm(sandbox, { fault: 'F14', charged });
    expect((await refresh(sandbox)).status).toBe(202);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = () => sendReused(sandbox.url + paths.refresh(HAPPY), agent);
    expect([await call(), await call(), await call()]).toEqual([202, 'ECONNRESET', 202]);
    agent.destroy();
    expect(await firedFaults(sandbox)).toEqual([['F14', 1, 0]]);
    expect(await sandbox.charges()).toHaveLength(3 + more);
  },
);

function sendReused(url: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: 'POST', agent, headers: KEY }, (response) => {
      response.resume();
      response.on('end', () => setImmediate(() => resolve(response.statusCode ?? 0)));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end('{}');
  });
}

describe('fault F17, a paged collection that changes during reading', () => {
  const list = async (variant: string) => {
    const sandbox = await start();
    const path = '/v1/advogados/processos?oab_estado=SP&oab_numero=100001&limit=20';
    const honest = await sandbox.get(`${path}&page=2`);
    await arm(sandbox, { operation: 'listLawyerCases', fault: 'F17', variant });
    const faulty = await sandbox.get(`${path}&page=2`);
    expect(await firedFaults(sandbox)).toEqual([['F17', 1, 0]]);
    return { honest: pageOf(honest), faulty: pageOf(faulty), own: `${sandbox.url}${path}&page=2` };
  };
  const pageOf = (reply: Reply) =>
    (
      reply.json as unknown as {
        data: { cobertura: { atualizadoEm: string }; links: { next: { href: string } | null } };
      }
    ).data;

  test('variant "version" shows a later atualizadoEm', async () => {
    const { honest, faulty } = await list('version');
    expect(Date.parse(faulty.cobertura.atualizadoEm)).toBeGreaterThan(Date.parse(honest.cobertura.atualizadoEm));
    expect(faulty.links).toEqual(honest.links);
  });
  test('variant "self" links the page to itself', async () => {
    const { faulty, own } = await list('self');
    expect(faulty.links.next?.href).toBe(own);
  });
  test('variant "first" links back to page 1', async () => {
    const { faulty } = await list('first');
    expect(faulty.links.next?.href).toMatch(/page=1$/);
  });
});

test.each([
  ['json', (reply: Reply) => expect(reply).toMatchObject({ status: 200, complete: true, json: undefined })],
  ['empty', (reply: Reply) => expect([reply.status, reply.bytes.length]).toEqual([200, 0])],
  ['type', (reply: Reply) => expect(reply.headers['content-type']).toMatch(/^text\/html/)],
] as const)('fault F12 (%s) charges a success that cannot be read', async (variant, expectReply) => {
  const sandbox = await start();
  await arm(sandbox, { operation: 'getCase', fault: 'F12', variant });
  expectReply(await sandbox.get(`/v1/processos/cnj/${HAPPY}`));
  expect(await sandbox.charges()).toHaveLength(1);
});

test('fault drift repeats an item, omits a case number or adds unknown members', async () => {
  const sandbox = await start();
  const items = async (variant?: string) => {
    if (variant !== undefined) await arm(sandbox, { operation: 'listLawyerCases', fault: 'drift', variant });
    const reply = await sandbox.get('/v1/advogados/processos?oab_estado=SP&oab_numero=100001&limit=5');
    return (reply.json as unknown as { data: { items: Record<string, unknown>[] } }).data.items;
  };
  const honest = await items();
  expect(await items('duplicate-item')).toEqual([honest[0], ...honest]);
  expect((await items('no-cnj'))[0]).not.toHaveProperty('numeroCnj');
  expect((await items('unknown-members'))[0]).toMatchObject({ ...honest[0], outro_campo: 'x' });
});

test('fault F13 makes a PDF of at least the requested size', async () => {
  const sandbox = await start();
  await arm(sandbox, { operation: 'getElectoralEditionPdf', fault: 'F13', bytes: 3_000_000 });
  const { bytes, headers } = await sandbox.get('/v1/dje-eleitoral/edicoes/djee-sp-2026-10-08/pdf');
  expect(bytes.length).toBeGreaterThan(3_000_000);
  expect([bytes.subarray(0, 5).toString(), headers['content-length']]).toEqual(['%PDF-', String(bytes.length)]);
});
