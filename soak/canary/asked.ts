/**
 * Inputs with canaries: inputs of flows as a user would give them, inputs that must be refused, webhooks of every kind, and
 * errors of the service that repeat the request.
 */
import type { Control } from '../../sandbox/index.js';
import { OPERATIONS, isCharged, type JsonObject } from '../../src/contract/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import type { Canaries } from './canaries.js';

export interface Ask {
  readonly type: WorkflowType;
  readonly input: JsonObject;
}

const DAY_MS = 86_400_000;
const NOTICE_DAYS = 8;

/** Flows whose input names a person. `unique`: makes texts that no other wave uses, so that this one pays again. */
export function personalAsks({ cpf, cnpj, oab, name, party }: Canaries, unique: number): readonly Ask[] {
  const call = (operation: string, params: JsonObject, body?: JsonObject): Ask => ({
    type: 'callOperation',
    input: { operation, params, ...(body === undefined ? {} : { body }) },
  });
  const lawyer = `${oab.uf}:${oab.number}`;
  const since = new Date(Date.now() - NOTICE_DAYS * DAY_MS).toISOString().slice(0, 10);
  return [
    call('listCasesByDocument', { cpf_cnpj: cpf }),
    call('listCasesByDocument', { cpf_cnpj: cnpj }),
    call('searchTerm', { q: `${name} ${unique}` }),
    call('searchLegacy', { q: `${party} ${unique}` }),
    call('listPrecatorios', { ano_orcamentario: 2027, party: `${party} ${unique}` }),
    call('listLawyerGazettes', { oab_estado: oab.uf, oab_numero: oab.number }),
    call('createRadar', {}, { termo: `${name} ${unique}` }),
    { type: 'collectPages', input: { operation: 'searchTerm', params: { q: `${party} ${unique}` }, maxPages: 2 } },
    { type: 'importLawyerCases', input: { oab: lawyer, pageSize: 50 } },
    { type: 'syncNotices', input: { oabs: [lawyer], since, fullText: true } },
    { type: 'ensureNoticeMonitor', input: { oabs: [lawyer], terms: [`${name} ${unique}`] } },
    { type: 'createRadar', input: { reference: `radar-${unique}`, definition: { termo: `${party} ${unique}` } } },
    {
      type: 'searchBoard',
      input: { from: '2026-09-01', to: '2026-09-05', filters: { courts: ['TSE'], party: `${party} ${unique}` } },
    },
  ];
}

/** Inputs that no flow accepts, with personal numbers in the wrong places. */
export function badAsks({ cpf, cnpj, oab, name }: Canaries): readonly Ask[] {
  const lawyer = `${oab.uf}:${oab.number}`;
  return [
    { type: 'refreshCase', input: { cnj: cpf } },
    { type: 'refreshCase', input: { cnj: cnpj } },
    {
      type: 'callOperation',
      input: { operation: 'listCasesByDocument', params: { cpf_cnpj: `${cpf.slice(0, 10)}x` } },
    },
    { type: 'callOperation', input: { operation: 'getCase', params: { cnj: lawyer } } },
    { type: 'callOperation', input: { operation: cpf, params: {} } },
    { type: 'callOperation', input: { operation: 'listCasesByDocument', params: { cpf_cnpj: cpf }, maxAge: cpf } },
    { type: 'importLawyerCases', input: { oab: `${lawyer}/${cpf}` } },
    { type: 'syncNotices', input: { oabs: [cpf], since: cpf } },
    { type: 'createRadar', input: { reference: cpf, definition: { termo: name } } },
    { type: 'searchBoard', input: { from: cpf, to: cnpj, filters: {} } },
    { type: 'awaitRequest', input: { requestId: cpf } },
    { type: 'deactivateMonitor', input: { kind: cpf, id: cnpj } },
    { type: 'refreshPortfolio', input: { name: cpf } },
  ];
}

/** All canaries in one record, as an event or an answer might contain them. */
function recordOf({ cpf, cnpj, oab, name, party, movement, summary, document }: Canaries): JsonObject {
  return {
    nome: name,
    cpf,
    documento: cnpj,
    oab: { estado: oab.uf, numero: oab.number },
    oab_texto: `OAB/${oab.uf} ${oab.number}`,
    partes: [{ nome: party, cnpj }],
    movimentacao: { conteudo: movement, descricao: document },
    resumo: summary,
  };
}

/** Members of the service's answers that contain canaries. */
export async function plantAnswers(control: Control, canaries: Canaries): Promise<void> {
  const { cpf, cnpj, oab, name, party, movement, summary, document } = canaries;
  const all = (names: readonly string[], text: string): object => ({ names, text });
  await control('/plant', {
    members: [
      all(['nome', 'nome_parte', 'requerente'], name),
      all(['titulo_polo_ativo', 'titulo_polo_passivo', 'parte', 'nome_devedor', 'beneficiario'], party),
      all(['cpf'], cpf),
      all(['cnpj', 'documento'], cnpj),
      all(['oab'], `OAB/${oab.uf} ${oab.number}`),
      all(['conteudo', 'texto', 'trecho', 'observacao', 'complemento'], movement),
      { operation: 'getSummary', names: ['conteudo'], text: summary },
    ],
    document,
  });
}

/** Every event name of the interface, and one that it does not have. */
const EVENT_NAMES = [
  ...['novo_processo', 'nova_movimentacao', 'processo_encontrado', 'processo_nao_encontrado', 'processo_verificado'],
  ...['atualizacao_processo_concluida', 'atualizacao_concluida', 'publicacao_judicial_nova'],
  ...['diario_movimentacao_nova', 'movimentacao_nova', 'novo_processo_envolvido', 'resultado_processo_async'],
  ...['resultado_busca_oab_async', 'novo_documento', 'evento_desconhecido'],
];
const FORMATS = ['NORMALIZED', 'RAW', 'BOTH', 'flat'] as const;
const SIGNATURES = ['none', 'wrong-secret', 'tampered-body', 'garbage'] as const;

interface Deliver {
  readonly control: Control;
  readonly canaries: Canaries;
  readonly webhook: { readonly url: string; readonly secret: string; readonly token: string };
  readonly cnj: string;
}

/** Sends each kind in each form, then again, then forged, cut and misaddressed. Returns how many the bridge has accepted. */
export async function sendWebhooks({ control, canaries, webhook, cnj }: Deliver): Promise<number> {
  const { cpf, cnpj, name, oab } = canaries;
  const data = recordOf(canaries);
  const event = (content: object): Promise<unknown> => control('/events', content);
  for (const format of FORMATS) {
    await control('/webhook', { ...webhook, format });
    for (const name of EVENT_NAMES) await event({ action: 'send', event: name, cnj, data });
  }
  await event({ action: 'duplicate', times: 2 });
  await event({ action: 'send', event: 'nova_movimentacao', id: `own-process:${cpf}:1`, data });
  await event({ action: 'send', event: `${name} ${cpf}`, id: cnpj, requestId: cpf, cnj: cpf, status: name, data });
  await event({
    action: 'send',
    event: 'nova_movimentacao',
    id: `${oab.uf}:${oab.number}`,
    data: { oab: data['oab'] },
  });
  for (const signature of SIGNATURES) await event({ action: 'forge', signature, data, id: cpf });
  await event({ action: 'forge', signature: 'right', token: 'wrong', data });
  for (const body of [`{"id":"${cpf}","nome":"${name}`, `[${JSON.stringify(data)}]`, name])
    await event({ action: 'send', body });
  await strangers(webhook, { path: `${encodeURIComponent(cpf)}/${cnpj}`, body: JSON.stringify(data) });
  const { deliveries } = await control<{ deliveries: readonly { readonly state: string }[] }>('/events');
  return deliveries.filter(({ state }) => state === 'delivered').length;
}

/** Requests for none of our accounts, and some that are no webhook. */
async function strangers(
  { url, secret, token }: Deliver['webhook'],
  { path, body }: { readonly path: string; readonly body: string },
): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'x-service-signature': secret,
  };
  const requests: readonly (readonly [string, RequestInit])[] = [
    [`${url}/${path}?token=${token}`, { method: 'POST', headers, body }],
    [`${url}?q=${path}`, { method: 'GET', headers }],
    [url, { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body }],
    [url, { method: 'POST', headers: { authorization: `Bearer ${path}` }, body }],
  ];
  for (const [target, init] of requests) await fetch(target, init).then((answer) => answer.arrayBuffer());
}

/** A refusal that repeats everything it knows, as text and in its code. */
export function tellingError(canaries: Canaries, link: string): JsonObject {
  const data = recordOf(canaries);
  const message = `${JSON.stringify(data)} ${link} key ${canaries.apiKey}`;
  return { error: { code: `NOT_ALLOWED ${canaries.cpf}`, message, details: data }, message, data };
}

export type Fault = Readonly<Record<string, unknown>>;

/** Name and faults of each wave. A wave arms its faults for every charged operation. */
export function wavesOf(
  error: JsonObject,
  { slow }: { readonly slow: boolean },
): readonly (readonly [string, readonly Fault[]])[] {
  const status = (code: number, more: object = {}): Fault => ({ fault: 'status', status: code, body: error, ...more });
  const text = JSON.stringify(error);
  return [
    ['undisturbed', []],
    ['refused with a body', [status(422)]],
    ['not found, throttled, broken', [status(429, { retryAfter: 1 }), status(500), status(404)]],
    ['refused with text', [status(400, { body: text })]],
    ['charged, answer lost', [{ fault: 'F4' }]],
    ['answer cut', [{ fault: 'F6' }]],
    ['not JSON', [{ fault: 'F12', variant: 'json' }]],
    ['reset', [{ fault: 'F1' }]],
    ...(slow ? [['hanging', [{ fault: 'F7', ms: 50_000 }]] as const] : []),
  ];
}

export const CHARGED = OPERATIONS.filter((operation) => isCharged(operation, {})).map(({ id }) => id);
