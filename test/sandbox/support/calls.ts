/**
 * One good call of every operation, written from the interface document, for tests that go over all of them. Paths and
 * parameters are spelt out here instead of being built by the contract, so a mistake there cannot hide.
 */
import { PERSONAS, type SandboxOptions } from '../../../sandbox/index.js';
import { HAPPY, KEY, paths, send, until, type Caller, type Reply } from './client.js';

export interface Call {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Statuses of a good answer that is not a 202. */
  readonly status?: 201 | 202;
}

/** Options of a sandbox on which every call below succeeds. */
export const GOOD: SandboxOptions = { refreshMs: 0, queryMs: 0, pollAfterMs: 1, coverageMs: 0 };
const CASE = `/v1/processos/cnj/${HAPPY}`;
const LAWYER = 'oab_estado=SP&oab_numero=100001';
/** A working day in the past of any clock these tests run on. */
const EDITION = 'djee-sp-2026-10-08';
export const HOOK = 'https://hooks.example.test/in';

/** Prepares what some calls need and returns them all, one per operation of the interface (and the summary read). */
export async function goodCalls(sandbox: Caller): Promise<readonly Call[]> {
  const refresh = await sandbox.post(`${paths.refresh(HAPPY)}?documentos_publicos=true`);
  const requestPath = new URL(refresh.headers.location ?? '').pathname;
  await completeCall(sandbox, { operation: 'getRequest', method: 'GET', path: requestPath });
  await completeCall(sandbox, {
    operation: 'requestSummary',
    method: 'POST',
    path: `${CASE}/resumo-ia/solicitar-atualizacao`,
    body: {},
  });
  const admin = await sandbox.control('/monitors', { nup: '08000.123456/2026-04' });
  const adminId = (admin.json as unknown as { id: string }).id;
  const notices = await completeCall(sandbox, {
    operation: 'listNotices',
    method: 'GET',
    path: '/v1/intimacoes?oabs=SP:100001&desde=2026-10-01',
  });
  const { intimacoes } = dataOf(notices) as { intimacoes: readonly { diarioId: string }[] };
  const diarioId = intimacoes[0]?.diarioId ?? 'none';
  const get = (operation: string, path: string): Call => ({ operation, method: 'GET', path });
  return [
    get('getAvailability', '/v1'),
    get('getBalance', '/v1/conta/saldo'),
    get('getRequest', requestPath),
    get('searchTerm', '/v1/busca/termo?q=empresa&page=1'),
    get('searchLegacy', '/v1/busca?q=empresa&qo=t'),
    get('listCasesByDocument', '/v1/processos?cpf_cnpj=900.000.001-75'),
    get('getCase', CASE),
    get('listMovements', `${CASE}/movimentacoes?page=1&limit=10`),
    { operation: 'requestRefresh', method: 'POST', path: `${CASE}/solicitar-atualizacao`, body: {}, status: 202 },
    get('getRefreshStatus', `${CASE}/status-atualizacao`),
    get('listPublicDocuments', `${CASE}/documentos-publicos?page=1&limit=10`),
    {
      operation: 'requestSummary',
      method: 'POST',
      path: `${CASE}/resumo-ia/solicitar-atualizacao`,
      body: {},
      status: 202,
    },
    get('getSummary', `${CASE}/resumo-ia`),
    get('listLawyerCases', `/v1/advogados/processos?${LAWYER}&page=1&limit=20`),
    get('listLawyerGazettes', `/v1/advogados/diarios-oficiais?${LAWYER}&page=1`),
    {
      operation: 'createNoticeMonitor',
      method: 'POST',
      path: '/v1/intimacoes/oab',
      body: { oabs: ['SP:100001'], webhook_url: HOOK },
    },
    get('listNoticeMonitors', '/v1/intimacoes/oab?page=1&limit=10'),
    {
      operation: 'updateNoticeMonitor',
      method: 'PUT',
      path: `/v1/intimacoes/oab?${LAWYER}`,
      body: { termos_auxiliares: ['termo'] },
    },
    get('listNotices', '/v1/intimacoes?oabs=SP:100001,RJ:200002&desde=2026-10-01'),
    get('getPublication', `/v1/intimacoes/publicacoes/${diarioId}`),
    {
      operation: 'createRadar',
      method: 'POST',
      path: '/v1/monitoramentos/novos-processos',
      body: { termo: 'empresa', webhook_url: HOOK },
      status: 201,
    },
    get('listRadars', '/v1/monitoramentos/novos-processos?page=1&limit=10'),
    {
      operation: 'createCaseMonitor',
      method: 'POST',
      path: '/v1/monitoramentos/processos',
      body: { numero_cnj: HAPPY, frequencia: 'DIARIA' },
      status: 201,
    },
    {
      operation: 'deactivateAdminMonitor',
      method: 'DELETE',
      path: `/v1/monitoramentos/processos-administrativos/${adminId}`,
    },
    get('listPrecatorios', '/v1/precatorios?ano_orcamentario=2027'),
    get('getElectoralPublication', `/v1/dje-eleitoral/publicacoes/${EDITION}-1`),
    get('getElectoralEditionPdf', `/v1/dje-eleitoral/edicoes/${EDITION}/pdf`),
    get(
      'searchElectoralBoard',
      '/v1/mural-eleitoral/publicacoes?data_inicio=2026-09-01&data_fim=2026-09-07&tribunais=TSE,TRE-SP',
    ),
    get('listAdministrativeBodies', '/v1/orgaos-administrativos'),
    get('listCourtSystems', '/v1/sistemas'),
  ];
}

/** Makes a call and follows a 202 by its `Location` to the final answer. */
export async function completeCall(sandbox: Caller, call: Call): Promise<Reply> {
  const first = await sendCall(sandbox, call);
  if (first.status !== 202) return first;
  const location = first.headers.location ?? '';
  return until(
    () => send(location, { headers: KEY }),
    (reply) => reply.status !== 202,
  );
}

export function sendCall(sandbox: Caller, { method, path, body }: Call): Promise<Reply> {
  return send(sandbox.url + path, { method, headers: KEY, ...(body === undefined ? {} : { body }) });
}

export function dataOf(reply: Reply): unknown {
  return (reply.json as unknown as { data: unknown }).data;
}

export const cnjOf = (name: string): string => PERSONAS.find((persona) => persona.name === name)!.cnj;
