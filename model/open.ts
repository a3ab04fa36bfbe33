/** The opening of an intent: the real decision on the rows of the state, and what it writes. */
import { present, type Amount } from '../src/contract/index.js';
import { decideOpening } from '../src/ledger/decide-opening.js';
import type { KeptIntent } from '../src/ledger/intent-row.js';
import type { LookUp } from '../src/ledger/look-up.js';
import { buildJoined, buildOpen, buildShut } from '../src/ledger/new-intent.js';
import { decisionOf, MAY_BE_PAID } from '../src/ledger/states.js';
import type { Intent, IntentVerdict, OpenIntent } from '../src/ledger/index.js';
import type { ChargedCallResult } from '../src/protocol/index.js';
import { PRICE } from './answers.js';
import { isOn } from './defects.js';
import { outcomeOf, putRow, type Written } from './ledger.js';
import { ACCOUNT, NOW_MS, SUBJECT, intentIdOf, rowAt, stepKeyOf, tokenOfId } from './rows.js';
import { ORDINALS, callOf, flowOf, ordinalOf, type State } from './words.js';
import { worldOf } from './worlds.js';

export interface Asking {
  readonly call: number;
  readonly token: number;
  readonly again: boolean;
}

/** `result` is undefined when the call is to be sent. */
export function openIntent(state: State, asking: Asking): Written<ChargedCallResult | undefined> {
  const { call, token } = asking;
  const request = requestOf(state, asking);
  const row = { intentId: request.attemptToken, subject: SUBJECT, nowMs: NOW_MS };
  const found = lookUp(state, asking);
  const opening = decideOpening(request, { subject: SUBJECT, free: false }, found);
  switch (opening.kind) {
    case 'answer':
      return { state, result: withoutSending(state, tampered(opening.verdict, asking)) };
    case 'wait':
      return { state, result: held(opening.verdict, opening.on.joined ?? opening.on.intentId) };
    case 'join': {
      const joined = buildJoined(request, row, opening.from);
      const after = putRow(state, call, joined);
      return { state: after, result: outcomeOf(after, joined.intent) };
    }
    case 'shut': {
      const shut = buildShut(request, row);
      return { state: putRow(state, call, shut), result: outcomeOf(state, shut.intent) };
    }
    case 'send':
      if (state.held && !isOn('sends while the ledger is held')) {
        return { state, result: { outcome: 'HELD', because: 'ledger', sinceMs: NOW_MS } };
      }
      return { state: putRow(state, call, openRow(state, call, token)), result: undefined };
  }
}

const opened = new Map<string, KeptIntent>();

export function openRow(state: State, call: number, token: number): KeptIntent {
  const key = `${state.world} ${call} ${token}`;
  const known = opened.get(key);
  if (known !== undefined) return known;
  const request = requestOf(state, { call, token, again: false });
  const row = { intentId: request.attemptToken, subject: SUBJECT, nowMs: NOW_MS };
  const built = buildOpen(request, { ...row, reserved: PRICE as Amount });
  opened.set(key, built);
  return built;
}

function requestOf(state: State, { call, token, again }: Asking): OpenIntent {
  const { operation, once } = worldOf(state);
  const { join } = state.flows[flowOf(call)];
  const target = join < 0 ? undefined : rowAt(state, join)?.intent.intentId;
  return {
    ...stepKeyOf(call),
    account: ACCOUNT,
    operation: operation.id,
    workflowType: 'callOperation',
    params: {},
    flags: [],
    attemptToken: intentIdOf(call, token),
    attempt: again ? 2 : 1,
    webhookExpected: false,
    waiterKeys: [],
    ...present({ once, joinIntent: target }),
  };
}

/** Does what the statement of `look-up.ts` does, on the rows of the state. */
function lookUp(state: State, { call }: Asking): LookUp {
  const { once } = worldOf(state);
  const flow = flowOf(call);
  const own = rowsOf(state, flow).filter(({ intent }) => intent.ordinal !== ordinalOf(call));
  const others = isOn('equal calls are not joined') ? [] : rowsOf(state, flow === 0 ? 1 : 0);
  const originals = others.filter(({ intent }) => intent.joined === null);
  const { join } = state.flows[flow];
  return {
    own: rowAt(state, call),
    ownEventSeen: false,
    once: once === undefined ? [] : others.filter(({ intent }) => intent.once === once),
    target: join < 0 || others.length === 0 ? undefined : rowAt(state, join),
    live: originals.filter(
      (row) => ['open', 'unknown', 'pending'].includes(row.intent.state) || isLostSince(state, row),
    ),
    later: own.filter(({ intent }) => intent.ordinal > ordinalOf(call)),
    earlier: isOn('the next ordinal needs no closed one')
      ? undefined
      : own.find(({ intent }) => intent.ordinal < ordinalOf(call) && MAY_BE_PAID.includes(intent.state)),
    young: undefined,
    shared: isOn('a later answer is not shared') ? undefined : originals.find((row) => isYoung(state, row)),
    life: { epoch: 'life', isSameServer: true, hasWitness: true, begunAtMs: 0, heldSinceMs: null },
    flowSpent: 0 as never,
    highestCharge: null,
    hold: { failures: 0, outageSinceMs: null, throttledUntilMs: null, freeThrottledUntilMs: null },
  };
}

/** Answered after the asking flow had started, so it is fresh enough for that flow. */
function isYoung(state: State, { intent }: KeptIntent): boolean {
  return intent.state === 'done' && isBoughtSince(state, intent);
}

/** The same for a lost answer, as long as nobody has decided about it. */
function isLostSince(state: State, { intent }: KeptIntent): boolean {
  if (isOn('a lost answer is not shared') || intent.state !== 'charged_lost') return false;
  return decisionOf(intent) === undefined && isBoughtSince(state, intent);
}

function isBoughtSince(state: State, { workflowId, ordinal }: Intent): boolean {
  return state.calls[callOf(workflowId === 'A' ? 0 : 1, ordinal)]?.stale === false;
}

/** Newest first. */
function rowsOf(state: State, flow: number): readonly KeptIntent[] {
  const rows: KeptIntent[] = [];
  for (let ordinal = ORDINALS; ordinal > 0; ordinal -= 1) {
    const row = rowAt(state, callOf(flow, ordinal));
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function tampered(verdict: IntentVerdict, { token }: Asking): IntentVerdict {
  if (!isOn('an open row of another attempt is sent')) return verdict;
  const own = verdict.kind === 'ambiguous' ? verdict.intent : undefined;
  return own?.state === 'open' && tokenOfId(own.intentId) !== token ? { kind: 'send', intent: own } : verdict;
}

function withoutSending(state: State, verdict: IntentVerdict): ChargedCallResult | undefined {
  switch (verdict.kind) {
    case 'send':
      return undefined;
    case 'stored':
    case 'closed':
      return outcomeOf(state, verdict.intent);
    case 'ambiguous':
      return unknown(verdict.intent);
    case 'open elsewhere':
    case 'unknown elsewhere':
      return held(verdict.kind, verdict.intent.intentId);
    case 'once conflict':
    case 'step conflict':
      return { outcome: 'REFUSED', problem: verdict.problem };
    default:
      throw new Error(`tramita: the model knows no verdict "${verdict.kind}"`);
  }
}

function unknown(intent: Intent | undefined): ChargedCallResult {
  const known = present({ intentId: intent?.intentId });
  return { outcome: 'UNKNOWN', reason: 'another attempt', charged: null, reused: false, settled: true, ...known };
}

function held(because: 'open elsewhere' | 'unknown elsewhere', intentId: string): ChargedCallResult {
  return because === 'open elsewhere'
    ? { outcome: 'HELD', because, intentId }
    : { outcome: 'HELD', because, intentId, openedAtMs: NOW_MS };
}
