/**
 * Notice monitors: one per registration. POST creates or activates (charged per registration that becomes active) and
 * leaves an active one unchanged, free of charge. PUT changes one and never creates one.
 */
import { z } from 'zod';
import { type Amount, type JsonObject, present } from '../../src/contract/index.js';
import { amountNumber } from '../answer.js';
import { oabKey, readOab } from '../cases/people.js';
import type { Monitor } from '../state/monitors.js';
import { lawyerOfArguments, OAB_NAMES, oabMembers, refusedOab } from './lawyers.js';
import { billedFrom, monitorRecord, newMonitor, webhookUrlOf } from './monitor-records.js';
import { pageOf, paging, reading, webhookUrl } from './reading.js';
import { spell } from './spelling.js';
import type { Effect, View } from './types.js';
import { answered, answeredRecord, refused } from './verdicts.js';

const listOf = (most: number) => z.array(z.union([z.string().max(500), z.number()])).max(most);
const texts = listOf(200);
const settingsMembers = {
  termos_auxiliares: texts.optional(),
  origens_ids: texts.optional(),
  webhook_url: webhookUrl.optional(),
};
const createSchema = z.looseObject({ ...oabMembers, ...settingsMembers, oabs: listOf(500).min(1).optional() });

export const createNoticeMonitor = reading(createSchema, OAB_NAMES, (args, view) => {
  const { settings } = view;
  const { oabsIn } = settings.dialect;
  if (oabsIn === 'flat' && args.oabs !== undefined)
    return refused(422, 'INVALID_OABS', 'Send oab_estado and oab_numero.');
  const flat = oabsIn === 'list' ? undefined : lawyerOfArguments(args);
  const lawyers = args.oabs === undefined ? [flat] : args.oabs.map((text) => readOab(String(text)));
  const keys = [...new Set(lawyers.flatMap((lawyer) => (lawyer === undefined ? [] : [oabKey(lawyer)])))];
  if (keys.length === 0 || lawyers.includes(undefined))
    return refused(422, 'INVALID_OAB', 'Registrations are missing or not valid.');
  const definition = definitionOf(args);
  const given = webhookUrlOf(args.webhook_url);
  const results = keys.map((key) => activate(key, { definition, webhookUrl: given }, view));
  const changed = results.filter(({ action }) => action !== 'unchanged').map(({ monitor }) => monitor);
  const effects = changed.map((monitor): Effect => ({ kind: 'monitor', monitor }));
  const price = (settings.prices.createNoticeMonitor * changed.length) as Amount;
  return answeredRecord(
    {
      monitoramentos: results.map(({ monitor, action }) => ({
        ...monitorRecord(monitor),
        reused: action === 'unchanged',
        acao: action,
      })),
      callback: callbackRecord(results.some(({ monitor }) => monitor.webhookUrl !== null)),
      billing: {
        billableOabs: changed.length,
        pricePerNewOab: amountNumber(settings.prices.createNoticeMonitor),
        recorrencia: 'MENSAL',
      },
    },
    view,
    { price, effects },
  );
});

interface Given {
  readonly definition: JsonObject;
  readonly webhookUrl: string | null;
}

function activate(
  key: string,
  given: Given,
  view: View,
): { readonly monitor: Monitor; readonly action: 'created' | 'activated' | 'unchanged' } {
  const found = view.monitors('notices').find(({ subject }) => subject === key);
  if (found?.active === true) return { monitor: found, action: 'unchanged' };
  const { prices } = view.settings;
  if (found === undefined) {
    const monitor = newMonitor(
      { of: 'notices', subject: key, price: prices.createNoticeMonitor, ...given },
      view.call,
      view,
    );
    return { monitor, action: 'created' };
  }
  return { monitor: { ...found, ...given, ...billedFrom(view.nowMs) }, action: 'activated' };
}

const updateSchema = z.looseObject({ ...oabMembers, ...settingsMembers });

export const updateNoticeMonitor = reading(updateSchema, OAB_NAMES, (args, view) => {
  const lawyer = lawyerOfArguments(args);
  if (lawyer === undefined) return refusedOab();
  const found = view.monitors('notices').find(({ subject, active }) => active && subject === oabKey(lawyer));
  if (found === undefined) return refused(404, 'MONITOR_NOT_FOUND', 'There is no active monitor of this registration.');
  const monitor: Monitor = {
    ...found,
    definition: { ...found.definition, ...definitionOf(args) },
    // When absent, the callback configuration is preserved.
    webhookUrl: args.webhook_url === undefined ? found.webhookUrl : webhookUrlOf(args.webhook_url),
  };
  const callback = callbackRecord(monitor.webhookUrl !== null);
  return answeredRecord({ ...monitorRecord(monitor), callback }, view, { effects: [{ kind: 'monitor', monitor }] });
});

export const listNoticeMonitors = reading(z.looseObject(paging({ limit: 20, max: 100 })), {}, (asked, view) => {
  const { rows, members } = pageOf(view.monitors('notices'), asked, view);
  const records = rows.map((monitor) => spell(monitorRecord(monitor), view.settings.dialect));
  return answered({ monitoramentos: records, items: records, ...members }, view);
});

function callbackRecord(enabled: boolean): object {
  return { enabled, mode: enabled ? 'WEBHOOK_URL' : 'NONE' };
}

function definitionOf(args: z.output<typeof updateSchema>): JsonObject {
  return {
    ...present({ termos_auxiliares: args.termos_auxiliares, origens_ids: args.origens_ids }),
  };
}
