/**
 * What a charged call is about. Equal calls have equal subjects, whatever the run, the spelling of an identifier or the flags.
 * The token is keyed, so a row says nothing about a person. A list in another order is another subject: sorting lists now would
 * hide rows that are paid or under way under their present subject. Pure apart from the token function.
 */
import {
  ZERO_AMOUNT,
  canonicalParameters,
  expectedPrice,
  isCharged,
  present,
  type Amount,
  type JsonObject,
  type Parameters,
} from '../contract/index.js';
import type { LedgerDependencies } from './settings.js';

interface Call {
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
}

export function subjectToken(
  { token, catalogue, gaps }: Pick<LedgerDependencies, 'token' | 'catalogue' | 'gaps'>,
  { operation, params, body }: Call,
): string {
  const canonical = canonicalParameters(catalogue.operationOf(operation), params, gaps);
  const names = Object.keys(canonical).sort();
  const spelled = Object.fromEntries(names.map((name) => [name, String(canonical[name])]));
  return token('subject', { operation, params: spelled, ...present({ body }) });
}

/** Subject and expected price of a call whose row is written from what its flow knows. */
export function subjectAndPrice(
  context: Pick<LedgerDependencies, 'token' | 'catalogue' | 'gaps' | 'settings'>,
  call: Call,
): { readonly subject: string; readonly reserved: Amount } {
  const operation = context.catalogue.operationOf(call.operation);
  const reserved = isCharged(operation, call.params)
    ? expectedPrice(context.settings.prices, operation, null)
    : ZERO_AMOUNT;
  return { subject: subjectToken(context, call), reserved };
}
