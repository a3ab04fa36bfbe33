/**
 * What a charged call is about. Equal calls have equal subjects, whatever run asks, however it spells an identifier and
 * whatever flags it sets: the token is keyed, so a row tells nothing about a person. Pure apart from the token function.
 */
import {
  canonicalParameters,
  type Catalogue,
  type Gaps,
  type JsonObject,
  type Parameters,
  present,
} from '../contract/index.js';

/** Keyed HMAC over canonical JSON; `kind` keeps tokens of different things apart. */
export type Token = (kind: string, value: unknown) => string;

/** What calls mean: the operations there are, and the names that configuration gives. */
export interface CallTerms {
  readonly token: Token;
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
}

export interface Call {
  readonly operation: string;
  readonly params: Parameters;
  readonly body?: JsonObject;
}

export function subjectToken({ token, catalogue, gaps }: CallTerms, { operation, params, body }: Call): string {
  const canonical = canonicalParameters(catalogue.operationOf(operation), params, gaps);
  const names = Object.keys(canonical).sort();
  const spelled = Object.fromEntries(names.map((name) => [name, String(canonical[name])]));
  return token('subject', { operation, params: spelled, ...present({ body }) });
}
