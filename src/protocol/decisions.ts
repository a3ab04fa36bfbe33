/** A person's decisions: inputs of the updates `settleCharge` and `resume`, and their problems as text. Pure. */
import { isJsonObject, type JsonObject } from '../contract/json.js';
import {
  holdsCpfOrCnpj,
  parseAmount,
  parseRequestId,
  present,
  shownJson,
  shownName,
} from '../contract/values/index.js';
import type { Attention } from './names.js';
import { undecodableReason } from './undecodable.js';

/**
 * What a person says about an unknown charge. `not-charged`: send again. `charged`: it was paid, look for its
 * answer. `abandon`: end the flow, and leave the charge open in the books.
 */
export type ChargeDecision = 'not-charged' | 'charged' | 'abandon';

/** Input of the update `settleCharge`: a person's decision about the charge of a parked step. */
export interface SettleChargeInput {
  /** The parked step, as `progress` names it. */
  readonly step: string;
  /** What became of the charge. */
  readonly decision: ChargeDecision;
  /** Ledger row of the charge, as `progress` shows it: the decision is refused where the step is parked on another one by now. */
  readonly intentId?: string;
  /** Who decides; a name or a ticket, kept in the ledger. */
  readonly by: string;
  /** UUID of the pending work, where the account page of the service shows one; only with `charged`. */
  readonly requestId?: string;
  /** Anything to remember, up to 500 characters; kept in the ledger. */
  readonly note?: string;
}

/** Answer of the update `settleCharge`: the decision that was taken, as given. */
export interface SettleChargeResult {
  /** The parked step. */
  readonly step: string;
  /** What was decided about it. */
  readonly decision: ChargeDecision;
}

/** Input of the update `resume`: a person lets a parked flow try again now. */
export interface ResumeInput {
  /** Who decides; a name or a ticket. It is kept in the history of the flow, nowhere else. */
  readonly by: string;
  /** Anything to remember, up to 500 characters. It is kept in the history of the flow, nowhere else. */
  readonly note?: string;
  /** Raises the flow's own cap (`maxSpend` of its input) to this, a decimal string; limits of the account stay. */
  readonly maxSpend?: string;
}

/** Answer of the update `resume`: what came of it. */
export type ResumeResult =
  | {
      /** The step was sent, or its wait goes on. */
      readonly resumed: true;
    }
  | {
      /** It was tried, and the flow is parked again. */
      readonly resumed: false;
      /** Why it needs a person now. */
      readonly still: Attention;
      /** What it waits for now. */
      readonly waitingFor: string;
      /** What happened, for people. */
      readonly story: string;
    };

/** Payload of the signal `wake`: a hint that can only shorten a wait. */
export interface WakeInput {
  /** Id of the event that says so. */
  readonly eventId?: string;
  /** Name of the event. */
  readonly event?: string;
  /** Why, for people. */
  readonly reason?: string;
}

/** Names of events are short: a longer text is not a name, and is not kept. */
const MAX_WAKE_TEXT = 200;

/** Reads the payload of a `wake`. Members that are unknown or no short text are ignored. Undefined: it cannot be decoded. */
export function readWake(payload: unknown): WakeInput | undefined {
  if (undecodableReason(payload) !== undefined) return undefined;
  const given: JsonObject = isJsonObject(payload) ? payload : {};
  const { eventId, event, reason } = given;
  return present({ eventId: shortText(eventId), event: shortText(event), reason: shortText(reason) });
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_WAKE_TEXT ? value : undefined;
}

const DECISIONS: readonly string[] = ['not-charged', 'charged', 'abandon'];
const MAX_TEXT = 500;
/** Control characters and halves of surrogate pairs, which the ledger cannot hold: writing them would be tried forever. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const HALF_CHARACTER = /\p{Cs}/u;

export function settleChargeProblem(input: unknown): string | undefined {
  const problem = objectProblem(input, ['step', 'decision', 'intentId', 'by', 'requestId', 'note']);
  if (problem !== undefined) return problem;
  const { step, decision, intentId, by, requestId, note } = input as JsonObject;
  if (typeof step !== 'string' || step === '') return 'step must name the parked step';
  if (typeof decision !== 'string' || !DECISIONS.includes(decision)) {
    return `decision must be one of ${DECISIONS.join(', ')}; seen: ${shownJson(decision)}`;
  }
  if (intentId !== undefined && (typeof intentId !== 'string' || intentId === '')) {
    return 'intentId must be the id of a ledger row';
  }
  if (requestId !== undefined && parseRequestId(requestId) === undefined) {
    return `requestId must be a UUID; seen: ${shownJson(requestId)}`;
  }
  if (requestId !== undefined && decision !== 'charged') return 'requestId is allowed only with decision "charged"';
  return textProblem('by', by, true) ?? textProblem('note', note, false);
}

/** If the balance has proved the charge, it was paid, whatever the account page shows. */
export function provenPaidProblem(
  { decision }: SettleChargeInput,
  facts: { readonly provenPaid?: true } | undefined,
): string | undefined {
  if (decision !== 'not-charged' || facts?.provenPaid !== true) return undefined;
  return 'decision "not-charged": the balance has proved that this charge was paid; decide "charged" with the requestId of the service, or "abandon"';
}

export function resumeProblem(input: unknown): string | undefined {
  const problem = objectProblem(input, ['by', 'note', 'maxSpend']);
  if (problem !== undefined) return problem;
  const { by, note, maxSpend } = input as JsonObject;
  if (maxSpend !== undefined && (typeof maxSpend !== 'string' || parseAmount(maxSpend) === undefined)) {
    return `maxSpend: seen ${shownName(JSON.stringify(maxSpend))}; expected a decimal string with at most four places, like "12.50"`;
  }
  return textProblem('by', by, true) ?? textProblem('note', note, false);
}

/** A cap can only be raised, and only if the flow's own input has set one. */
export function raisedCapProblem({ maxSpend }: ResumeInput, cap: string | undefined): string | undefined {
  if (maxSpend === undefined) return undefined;
  if (cap === undefined) {
    return `maxSpend: seen "${maxSpend}", but this flow has no cap of its own to raise (input.maxSpend); limits of the account are settings of the worker: maxSpendPerFlow, maxSpendPerDay, minBalance`;
  }
  if ((parseAmount(maxSpend) ?? 0) > (parseAmount(cap) ?? 0)) return undefined;
  return `maxSpend: seen "${maxSpend}"; expected more than the current cap, "${cap}"`;
}

function objectProblem(input: unknown, members: readonly string[]): string | undefined {
  const reason = undecodableReason(input);
  if (reason !== undefined) return `the argument cannot be decoded (${reason}); send one JSON object as json/plain`;
  if (!isJsonObject(input)) return 'expected one JSON object';
  const unknown = Object.keys(input).find((name) => !members.includes(name));
  return unknown === undefined ? undefined : `unknown member "${shownName(unknown)}" (known: ${members.join(', ')})`;
}

/** Why a note or a name that a person gives is refused: both are kept in the ledger, and notes of schedules in Temporal. */
export function textProblem(member: string, value: unknown, required: boolean): string | undefined {
  if (value === undefined) return required ? `${member} is missing: say who decides` : undefined;
  if (typeof value !== 'string' || value.trim() === '') return `${member} must be a non-empty string`;
  if (CONTROL.test(value)) return `${member} has a control character (code below 32 other than tab and line breaks)`;
  if (HALF_CHARACTER.test(value)) return `${member} has half of a character (a lone surrogate, U+D800 to U+DFFF)`;
  if (holdsCpfOrCnpj(value)) {
    return `${member} contains what looks like a CPF or CNPJ, and would be kept in the database; name a ticket or the case instead`;
  }
  return value.length > MAX_TEXT ? `${member} is longer than ${MAX_TEXT} characters` : undefined;
}
