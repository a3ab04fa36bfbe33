import { startCallOperation } from '../../src/starters/index.js';
import type { CallOperationInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

const OAB = { oab_numero: '100001', oab_estado: 'SP' };
const CPF = '90000000175';

describe('callOperation', () => {
  const flows = withFlows({ env: { TRAMITA_WEBHOOK_URL_HOSTS: 'hooks.test' } });
  const start = (input: CallOperationInput) => startCallOperation(flows.deps, input);

  it('calls once, pays once and returns the answer as it came', async () => {
    const cnj = newCase();
    const charged = await flows.paid(async () => {
      const handle = await start({ operation: 'getCase', params: { cnj } });
      expect(handle.workflowId).toMatch(/^call\.default\.getCase\.[\w-]{32}$/);
      const result = await handle.result();
      expect(result).toMatchObject({
        status: 200,
        reused: false,
        body: { data: { numero_cnj: expect.any(String) as string } },
      });
      expect(result.receipts).toHaveLength(1);
    });
    expect(charged).toEqual(['getCase']);
  });

  it.each([
    ['listCasesByDocument', { cpf_cnpj: CPF }],
    ['searchTerm', { q: 'seguro' }],
    ['listPrecatorios', { ano_orcamentario: 2027 }],
    ['listMovements', { cnj: '1000001-51.2026.8.26.0100' }],
    ['listLawyerCases', OAB],
    ['listLawyerGazettes', OAB],
    ['searchLegacy', { q: 'seguro' }],
  ])('makes exactly one charged call of %s', async (operation, params) => {
    expect(await flows.paid(async () => (await start({ operation, params })).result())).toEqual([operation]);
  });

  it.each(['getAvailability', 'getBalance', 'listRadars', 'listCourtSystems'])(
    'is not charged for %s',
    async (operation) => {
      const charged = await flows.paid(async () => {
        const result = await (await start({ operation })).result();
        expect(result).toMatchObject({ status: 200, spent: { known: '0', unknown: 0 } });
      });
      expect(charged).toEqual([]);
    },
  );

  it('sends the legacy search on the queue that all accounts of the host share', async () => {
    const handle = await start({ operation: 'searchLegacy', params: { q: 'fila' } });
    await handle.result();
    const { events = [] } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
    const queues = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name ?? []);
    const host = new URL(flows.sandbox.url).host.replace(':', '-');
    expect(queues).toEqual([`${flows.taskQueue}-charged-legacy.${host}`]);
  });

  it('returns the headers in which an answer without an envelope has its figures, unless it was reused', async () => {
    const call = { operation: 'searchLegacy', params: { q: 'cabeçalhos' } };
    const { headers, receipts } = await (await start(call)).result();
    expect(headers).toEqual({
      'x-service-credits-charged': receipts[0]?.amount,
      'x-service-credits-remaining': expect.stringMatching(/^\d/) as string,
      'x-service-request-id': receipts[0]?.metaRequestId,
      'x-service-search-log-id': receipts[0]?.searchLogId,
    });
    expect(await (await start({ ...call, maxAge: '1h' })).result()).not.toHaveProperty('headers');
  });

  it('creates a radar once, with a webhook to an allowed host', async () => {
    const body = { termo: 'Empresa Fictícia', webhook_url: 'https://hooks.test/radar' };
    expect(await flows.paid(async () => (await start({ operation: 'createRadar', body })).result())).toEqual([
      'createRadar',
    ]);
  });

  it('waits for work that the service finishes later, also for a refresh whose flag has its wire name', async () => {
    const cnj = newCase();
    const refresh = await (
      await start({ operation: 'requestRefresh', params: { cnj, documentos_publicos: 'true' } })
    ).result();
    expect(refresh).toMatchObject({ status: 200, body: { data: { status: 'SUCESSO' } } });
    const documents = await (await start({ operation: 'listPublicDocuments', params: { cnj } })).result();
    expect(JSON.stringify(documents.body)).not.toContain('downloadUrl');
    expect(documents.body).toMatchObject({ data: { documentos: expect.any(Array) as unknown[] } });
  });

  it('reuses a paid answer with maxAge, whichever spelling of the case number is given', async () => {
    const cnj = newCase();
    const masked = cnj.replace(/^(\d{7})(\d\d)(\d{4})(\d)(\d\d)(\d{4})$/, '$1-$2.$3.$4.$5.$6');
    const charged = await flows.paid(async () => {
      const first = await (await start({ operation: 'getCase', params: { cnj: masked } })).result();
      const second = await (await start({ operation: 'getCase', params: { cnj }, maxAge: '1h' })).result();
      expect(second).toMatchObject({ reused: true, body: first.body, spent: { known: '0', unknown: 0 } });
    });
    expect(charged).toEqual(['getCase']);
  });

  it('refuses to list documents before their refresh or while it runs, unless evenIfNotRefreshed is set', async () => {
    const cnj = newCase();
    const list = { operation: 'listPublicDocuments', params: { cnj } };
    expect(await failureOf(await start(list))).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('start refreshCase with "documents": true first') as string,
    });
    // It has its own workflow id, because other files refresh this case too.
    const running = await flows.refresh(
      { cnj: '0123456-61.2022.3.00.0000', documents: true, webhook: '1h' },
      { workflowId: `never-ends-${flows.taskQueue}` },
    );
    const during = { ...list, params: { cnj: '0123456-61.2022.3.00.0000' } };
    await until(async () => (await flows.progress(running.workflowId)).steps[0]?.outcome === 'PENDING', {
      what: 'the refresh to run',
    });
    expect(await failureOf(await start(during))).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining(running.workflowId) as string,
    });
    await flows.client.workflow.getHandle(running.workflowId).terminate('end of the test');
    const forced = await failureOf(await start({ ...list, params: { cnj, evenIfNotRefreshed: true } }));
    expect(forced).toMatchObject({ type: 'Rejected', details: { status: 422, errorCode: 'DOCUMENTS_NOT_REFRESHED' } });
  });

  it('fails as NotFound, uncharged, when the service answers 404', async () => {
    const failure = await failureOf(
      await start({ operation: 'getCase', params: { cnj: '0000001-18.1999.8.01.0001' } }),
    );
    expect(failure).toMatchObject({ type: 'NotFound', details: { status: 404, spent: { known: '0', unknown: 0 } } });
  });

  it.each([
    [{ operation: 'getCases' }, 'is not in the catalogue; known: getAvailability'],
    [{ operation: '../x' }, 'input.operation must be the id of an operation'],
    [{ operation: 'getCase' }, 'input.params.cnj is missing'],
    [{ operation: 'getCase', params: { cnj: '1000001-15.2026.8.26.0100' } }, 'input.params.cnj'],
    [{ operation: 'getCase', params: { cnj: newCase(), documents: true } }, 'is not a parameter of getCase'],
    [{ operation: 'getCase', params: [] }, 'input.params must be an object'],
    [{ operation: 'getCase', params: { cnj: newCase() }, body: {}, extra: 1 }, 'unknown member "extra"'],
    [{ operation: 'getCase', params: { cnj: newCase() }, body: { a: 1 } }, 'a GET has no body'],
    [{ operation: 'listCasesByDocument', params: { cpf_cnpj: '90000000176' } }, 'input.params.cpf_cnpj'],
    [{ operation: 'listLawyerCases', params: { ...OAB, page: 2 } }, 'importLawyerCases'],
    [{ operation: 'getRequest', params: { requestId: 'b4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e7f' } }, 'awaitRequest'],
    [{ operation: 'requestRefresh', params: { cnj: newCase(), enviar_callback: 'true' } }, 'give "webhook"'],
    [
      { operation: 'createRadar', body: { termo: 'x', webhook_url: 'https://evil.test/x' } },
      'TRAMITA_WEBHOOK_URL_HOSTS',
    ],
    [{ operation: 'createRadar', body: { termo: 'x', webhook_url: 'http://hooks.test/x' } }, 'https'],
    [
      { operation: 'createRadar', body: { termo: 'x', avisos: [{ webhook_url: 'https://evil.test/x' }] } },
      'input.body.avisos.0.webhook_url names a host',
    ],
    [{ operation: 'getCase', params: { cnj: newCase() }, account: 'other' }, 'configured accounts: default'],
  ])('refuses %j before anything is sent', async (input, problem) => {
    const before = (await flows.requests()).length;
    const failure = await failureOf(await flows.startPlain('callOperation', input));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain(problem);
    expect(failure.message).not.toContain('90000000176');
    expect(await flows.requests()).toHaveLength(before);
  });

  it('leaves ledger and charge book equal', async () => {
    expect(await auditFlows(flows)).toEqual([]);
  });
});
