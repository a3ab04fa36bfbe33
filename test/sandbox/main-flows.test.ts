/**
 * A client that knows the interface document and nothing else runs its four main flows. It uses no reader, no name and no
 * path of tramita. Paths, members and links are those that the document names.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { closeSandboxes, start, startReceiver, until, send, type Caller, type SendOptions } from './support/client.js';

afterEach(closeSandboxes);

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: Body;
}
interface Body {
  readonly data: Record<string, unknown>;
  readonly meta: {
    readonly creditsCharged: number;
    readonly creditsRemaining: number;
    readonly requestId: string;
    readonly searchLogId: string | null;
    readonly search?: Record<string, unknown>;
  };
}

async function call(
  url: string,
  { key = 'sandbox-key', ...options }: Pick<SendOptions, 'method' | 'body'> & { readonly key?: string | null } = {},
): Promise<Answer> {
  const reply = await send(url, { ...options, headers: key === null ? {} : { 'x-api-key': key } });
  // Absent when the body is no JSON.
  const body = reply.json as unknown as Body | undefined;
  return { ...reply, body: body ?? ({} as Body) };
}

/** "Polling stops at any status other than 202." */
async function follow(sandbox: Caller, answer: Answer): Promise<Answer> {
  let last = answer;
  for (let poll = 0; last.status === 202; poll += 1) {
    if (poll > 100) throw new Error('the work does not end');
    await sandbox.control('/clock', { advanceMs: Number(answer.headers['retry-after']) * 1_000 });
    last = await call(answer.headers.location ?? String(answer.body.data['statusUrl']));
  }
  return last;
}

const list = (value: unknown): readonly Record<string, unknown>[] => value as readonly Record<string, unknown>[];
const next = (data: Record<string, unknown>): string | undefined =>
  ((data['links'] as { next: { href: string } | null }).next ?? undefined)?.href;
const CASE = '1000001-51.2026.8.26.0100';

test('document flow: lists cases by CPF, reads one case, pages through its movements and requests a summary', async () => {
  const sandbox = await start();
  const cases = await call(`${sandbox.url}/v1/processos?cpf_cnpj=90000000175`);
  expect(cases.status).toBe(200);
  expect(JSON.stringify(cases.body.data)).toMatch(/\d{7}-\d\d\.\d{4}\.\d\.\d\d\.\d{4}/);
  const [numero = ''] = /\d{7}-\d\d\.\d{4}\.\d\.\d\d\.\d{4}/.exec(JSON.stringify(cases.body.data))!;
  expect((await call(`${sandbox.url}/v1/processos/cnj/${numero}`)).status).toBe(200);
  const visited = new Set<string>();
  for (let url: string | undefined = `${sandbox.url}/v1/processos/cnj/${CASE}/movimentacoes`; url !== undefined;) {
    const page: Answer = await call(url);
    expect([page.status, visited.has(url)]).toEqual([200, false]);
    visited.add(url);
    url = next(page.body.data);
  }
  expect(visited.size).toBeGreaterThan(0);
  const accepted = await call(`${sandbox.url}/v1/processos/cnj/${CASE}/resumo-ia/solicitar-atualizacao`, {
    method: 'POST',
    body: {},
  });
  expect([
    accepted.status,
    typeof accepted.body.data['requestId'],
    typeof accepted.body.data['pollAfterMs'],
    typeof accepted.body.data['status'],
  ]).toEqual([202, 'string', 'number', 'string']);
  expect((await follow(sandbox, accepted)).status).toBe(200);
});

test('refresh flow: requests a refresh, polls it, reads the case and downloads a document without the key', async () => {
  const sandbox = await start();
  const accepted = await call(
    `${sandbox.url}/v1/processos/cnj/${CASE}/solicitar-atualizacao?documentos_publicos=true`,
    {
      method: 'POST',
      body: {},
    },
  );
  expect(accepted.status).toBe(202);
  expect(accepted.headers.location).toBe(accepted.body.data['statusUrl']);
  const final = await follow(sandbox, accepted);
  expect(final.body.meta.creditsCharged).toBe(accepted.body.meta.creditsCharged);
  expect((await call(`${sandbox.url}/v1/processos/cnj/${CASE}/status-atualizacao`)).status).toBe(200);
  const documents = await call(`${sandbox.url}/v1/processos/cnj/${CASE}/documentos-publicos?page=1&limit=10`);
  const links = JSON.stringify(documents.body.data)
    .match(/"downloadUrl":"([^"]+)"/g)!
    .map((text) => text.slice(15, -1));
  const file = await call(links[0]!, { key: null });
  expect([file.status, file.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
  expect((await call(`${sandbox.url}/v1/processos/cnj/${CASE}`)).status).toBe(200);
});

test('notices flow: creates a monitor, lists notices and follows a link to a publication', async () => {
  const sandbox = await start();
  // With the days before it, this is longer than the court recess, in which there are no notices.
  await sandbox.control('/clock', { advanceMs: 21 * 86_400_000 });
  const body = { oabs: ['SP:100001'], webhook_url: 'https://hooks.example.test/in' };
  const monitor = await call(`${sandbox.url}/v1/intimacoes/oab`, { method: 'POST', body });
  expect(monitor.status).toBe(200);
  expect(monitor.body.data['callback']).toEqual({ enabled: true, mode: expect.any(String) as unknown });
  expect(monitor.body.meta.creditsCharged).toBeGreaterThan(0);
  const since = new Date(Date.now() - 8 * 86_400_000).toISOString().slice(0, 10);
  const notices = await call(`${sandbox.url}/v1/intimacoes?oabs=SP:100001&desde=${since}`);
  const text = JSON.stringify(notices.body.data);
  const [, link = ''] = /"(http[^"]*\/publicacoes\/[^"]+)"/.exec(text)!;
  const publication = await call(link);
  expect(publication.status).toBe(200);
  expect(publication.bytes.length).toBeGreaterThan(200);
});

test('monitoring flow: creates a case monitor and a radar, lists the radars and receives webhooks', async () => {
  const receiver = await startReceiver();
  const sandbox = await start({ webhookHostMap: { 'hooks.example.test': receiver.origin } });
  const webhook_url = 'https://hooks.example.test/in';
  const radar = await call(`${sandbox.url}/v1/monitoramentos/novos-processos`, {
    method: 'POST',
    body: { termo: 'Companhia Fictícia', webhook_url },
  });
  expect([radar.status, typeof radar.body.data['id']]).toEqual([201, 'string']);
  const caseMonitor = await call(`${sandbox.url}/v1/monitoramentos/processos`, {
    method: 'POST',
    body: { numero_cnj: CASE, webhook_url },
  });
  expect(caseMonitor.status).toBe(201);
  const radars = await call(`${sandbox.url}/v1/monitoramentos/novos-processos?page=1&limit=10`);
  expect(list(radars.body.data['items']).map(({ id }) => id)).toEqual([radar.body.data['id']]);
  await sandbox.control('/clock', { advanceMs: 15 * 86_400_000 });
  const events = await until(
    () => Promise.resolve(receiver.received.map(({ headers }) => headers['x-service-event'])),
    (names) => names.includes('novo_processo'),
  );
  expect(events.filter((name) => name === 'novo_processo').length).toBeGreaterThanOrEqual(2);
  const refused = await call(`${sandbox.url}/v1/monitoramentos/processos`, {
    method: 'POST',
    body: { numero_cnj: CASE, webhook_url: 'http://hooks.example.test/in' },
  });
  expect((refused.body as unknown as { error: { code: string } }).error.code).toBe('INVALID_WEBHOOK_URL');
});

test('import flow: waits for complete coverage of a lawyer’s cases and reads every page (rules 7 to 9)', async () => {
  const sandbox = await start({ coverageMs: 60_000 });
  const first = `${sandbox.url}/v1/advogados/processos?oab_estado=SP&oab_numero=123456&limit=50&page=1`;
  const coverage = (answer: Answer) =>
    answer.body.data['cobertura'] as { parcial: boolean; completa: boolean; atualizadoEm: string };
  let page = await call(first);
  const counts = [page.body.data['quantidadeProcessos'] as number];
  const versions = new Set([coverage(page).atualizadoEm]);
  for (let check = 0; coverage(page).parcial; check += 1) {
    if (check > 10) throw new Error('never complete');
    await sandbox.control('/clock', { advanceMs: 15_000 });
    page = await call(first);
    counts.push(page.body.data['quantidadeProcessos'] as number);
    versions.add(coverage(page).atualizadoEm);
  }
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect([counts.at(-1), versions.size]).toEqual([120, counts.length]);
  const numbers: unknown[] = [];
  const version = coverage(page).atualizadoEm;
  for (let at: Answer | undefined = page; at !== undefined;) {
    expect(at.body.data['items']).toEqual(at.body.data['processos']);
    expect(coverage(at)).toEqual({ parcial: false, completa: true, atualizadoEm: version });
    numbers.push(...list(at.body.data['items']).map((item) => item['numeroCnj']));
    const href: string | undefined = next(at.body.data);
    at = href === undefined ? undefined : await call(href);
    if (at !== undefined) expect(at.body.meta).toMatchObject({ creditsCharged: 0, searchLogId: null });
  }
  expect([numbers.length, new Set(numbers).size]).toEqual([120, 120]);
  expect(await sandbox.charges()).toHaveLength(counts.length);
});

test('electoral operations cost what the interface says, and a gazette PDF has the documented headers', async () => {
  const sandbox = await start();
  const pdf = await call(`${sandbox.url}/v1/dje-eleitoral/edicoes/djee-sp-2026-10-08/pdf`);
  expect(pdf.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringContaining('filename=') as unknown,
    'x-service-credits-remaining': '999.92',
    'x-service-search-log-id': expect.any(String) as unknown,
  });
  const item = await call(`${sandbox.url}/v1/dje-eleitoral/publicacoes/djee-sp-2026-10-08-1`);
  expect(item.body.meta).toMatchObject({ creditsCharged: 0.05, creditsRemaining: 999.87 });
  const board = await call(`${sandbox.url}/v1/mural-eleitoral/publicacoes?data_inicio=2026-09-01&data_fim=2026-09-07`);
  expect(board.body.meta).toMatchObject({ creditsCharged: 0.15, creditsRemaining: 999.72 });
});
