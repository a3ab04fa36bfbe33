/** Balance and availability (interface "Account balance (data)", "Availability document"). */
import { z } from 'zod';
import { readRecord } from './envelope.js';
import { textOf } from './json.js';
import { present, readServiceAmount, type Amount } from './values/index.js';

/** `data` of the answer about the account's balance. */
export const balanceSchema = z.looseObject({
  credits: z.union([z.number(), z.string()]),
  currency: z.string(),
  accountStatus: z.string(),
});

/** What the service says of itself at `GET /v1`. */
export const availabilitySchema = z.looseObject({
  service: z.string(),
  version: z.string(),
  authentication: z.looseObject({ header: z.string(), fallback: z.string() }),
  endpoints: z.array(z.looseObject({ method: z.string(), path: z.string(), description: z.string() })),
});

/** What is left on an account. */
export interface Balance {
  /** Prepaid credits that are left, in ten-thousandths of the currency (interface "Account balance (data)"). */
  readonly credits: Amount;
  /** Currency code of the balance, as sent. */
  readonly currency?: string;
  /** Status of the account, as sent; the interface documents only an active one. */
  readonly accountStatus?: string;
}

/** Undefined when the body does not give the credits. */
export function readBalance(body: unknown): Balance | undefined {
  const record = readRecord(body) ?? {};
  const credits = readServiceAmount(record['credits']);
  if (credits === undefined) return undefined;
  const currency = textOf(record['currency']);
  const accountStatus = textOf(record['accountStatus']);
  return { credits, ...present({ currency, accountStatus }) };
}
