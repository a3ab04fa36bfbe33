/** Inputs of the monitor flows. What a definition holds is the service's business; its size and form are ours. Pure. */
import { present } from '../../contract/values/index.js';
import type { JsonObject } from '../../contract/json.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { checkJson, guard, objectMembers, problem, type Parsed } from './members.js';
import { oabList } from './oabs.js';

/** Input of `ensureNoticeMonitor`: registrations of lawyers that one notice monitor is to watch. A monitor bills again and again. */
export interface EnsureNoticeMonitorInput extends CommonInput {
  readonly oabs: readonly string[];
  /** Auxiliary terms. */
  readonly terms?: readonly string[];
  /** Ids of gazettes. */
  readonly origins?: readonly (string | number)[];
  /** https, to a host of TRAMITA_WEBHOOK_URL_HOSTS. */
  readonly webhookUrl?: string;
}

export interface EnsureNoticeMonitorSettings extends CommonSettings {
  readonly oabs: readonly string[];
  readonly terms?: readonly string[];
  readonly origins?: readonly string[];
  readonly webhookUrl?: string;
}

/** Input of `createRadar` and `createCaseMonitor`: what to watch, under a name of your own. A monitor bills again and again. */
export interface CreateMonitorInput extends CommonInput {
  /** Body of the service's own request, without `webhook_url`. */
  readonly definition: JsonObject;
  readonly webhookUrl?: string;
  /** The caller's own name for it: under one name it is created once, forever. */
  readonly reference: string;
}

export interface CreateMonitorSettings extends CommonSettings {
  readonly definition: JsonObject;
  readonly webhookUrl?: string;
  readonly reference: string;
}

export const DEACTIVATED_KINDS = ['administrative', 'notices', 'radar', 'case'] as const;

/** Input of `deactivateMonitor`: the monitor to switch off. */
export interface DeactivateMonitorInput extends CommonInput {
  readonly kind: (typeof DEACTIVATED_KINDS)[number];
  readonly id: string;
}

export type DeactivateMonitorSettings = CommonSettings & Pick<DeactivateMonitorInput, 'kind' | 'id'>;

const ENSURE_MEMBERS = ['oabs', 'terms', 'origins', 'webhookUrl', ...COMMON_MEMBERS] as const;
const CREATE_MEMBERS = ['definition', 'webhookUrl', 'reference', ...COMMON_MEMBERS] as const;
const DEACTIVATE_MEMBERS = ['kind', 'id', ...COMMON_MEMBERS] as const;
const REFERENCE = /^[A-Za-z0-9][\w.:-]{0,99}$/;
const MONITOR_ID = /^[\w.:-]{1,100}$/;
const MAX_LIST = 200;
const MAX_TEXT = 200;
const MAX_DEFINITION_CHARS = 100_000;

export function parseEnsureNoticeMonitorInput(input: unknown): Parsed<EnsureNoticeMonitorSettings> {
  return guard(() => {
    const members = objectMembers(input, ENSURE_MEMBERS, '{"oabs":["SP:123456"]}');
    const terms = textList(members, 'terms');
    const origins = textList(members, 'origins');
    return {
      ...commonSettings(members),
      oabs: oabList(members),
      ...present({ terms, origins }),
      ...webhookUrl(members),
    };
  });
}

export function parseCreateMonitorInput(input: unknown): Parsed<CreateMonitorSettings> {
  return guard(() => {
    const members = objectMembers(input, CREATE_MEMBERS, '{"reference":"new-cases-acme","definition":{…}}');
    const { definition, reference } = members;
    if (typeof reference !== 'string' || !REFERENCE.test(reference)) {
      throw problem(
        'reference',
        'must be your own name for it: 1 to 100 letters, digits, ".", ":", "-" or "_"',
        reference ?? null,
      );
    }
    if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) {
      throw problem('definition', 'must be a JSON object, the body of the service’s request', typeof definition);
    }
    if (Object.keys(definition).length === 0) throw problem('definition', 'is empty; nothing would be watched');
    if ('webhook_url' in definition)
      throw problem('definition.webhook_url', 'belongs in input.webhookUrl, where its host is checked');
    checkJson('definition', definition, MAX_DEFINITION_CHARS);
    return { ...commonSettings(members), reference, definition: definition as JsonObject, ...webhookUrl(members) };
  });
}

export function parseDeactivateMonitorInput(input: unknown): Parsed<DeactivateMonitorSettings> {
  return guard(() => {
    const members = objectMembers(input, DEACTIVATE_MEMBERS, '{"kind":"administrative","id":"…"}');
    const { id } = members;
    const kind = DEACTIVATED_KINDS.find((known) => known === members['kind']);
    if (kind === undefined)
      throw problem('kind', `must be one of ${DEACTIVATED_KINDS.join(', ')}`, members['kind'] ?? null);
    const text = typeof id === 'number' ? String(id) : id;
    if (typeof text !== 'string' || !MONITOR_ID.test(text))
      throw problem('id', 'must be the id of the monitor', id ?? null);
    return { ...commonSettings(members), kind, id: text };
  });
}

export function parseAuditMonitorsInput(input: unknown): Parsed<CommonSettings> {
  return guard(() => commonSettings(objectMembers(input, COMMON_MEMBERS, '{}')));
}

function textList(members: Record<string, unknown>, member: 'terms' | 'origins'): readonly string[] | undefined {
  const given = members[member];
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length > MAX_LIST) {
    throw problem(
      member,
      `must be a list of at most ${MAX_LIST} texts`,
      Array.isArray(given) ? `${given.length} items` : given,
    );
  }
  const texts = given.map((value: unknown, place) => {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_TEXT) {
      throw problem(`${member}[${place}]`, `must be a text of 1 to ${MAX_TEXT} characters`, typeof value);
    }
    return text.trim();
  });
  return [...new Set(texts)].sort();
}

/** Its host is checked against configuration before anything is sent. */
function webhookUrl(members: Record<string, unknown>): { readonly webhookUrl?: string } {
  const given = members['webhookUrl'];
  if (given === undefined) return {};
  if (typeof given !== 'string' || !/^https:\/\/[^\s/?#@]+([/?][^\s#]*)?$/.test(given) || given.length > 2_000) {
    throw problem('webhookUrl', 'must be an https address without user name and fragment', typeof given);
  }
  return { webhookUrl: given };
}
