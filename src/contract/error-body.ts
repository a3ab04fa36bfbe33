/**
 * Error bodies (interface "Errors"; five forms were observed): `{error:{code,message}}`, `{error:"text"}`,
 * `{message}`, `{errors}`, and anything that is not JSON. Only code and a short, cleaned reason leave this file.
 */
import { isJsonObject, textOf } from './json.js';
import { cutNumbers, errorCodeIn, present } from './values/index.js';

/** What an error body says: a code, a short reason, and whether the service itself wrote it. */
export interface ServiceError {
  /** `error.code`, where there is one. */
  readonly code?: string;
  /** What the service said, cut to 160 characters and without runs of digits that could be a person's number. */
  readonly reason?: string;
  /** True when the body had one of the service's own error forms; false for gateway pages and empty bodies. */
  readonly fromService: boolean;
}

const MAX_REASON = 160;
/** Only this much of a text is searched for numbers. */
const MAX_READ = 2_000;
/** Cut off the end of such a part, where a number may be cut in two: longer than any number. */
const CUT_MARGIN = 40;

/** Reads an error body that was parsed as JSON; give `undefined` when it was not JSON. */
export function readErrorBody(body: unknown): ServiceError {
  if (!isJsonObject(body)) return { fromService: false };
  const error = body['error'];
  if (isJsonObject(error)) {
    return describe(textOf(error['code']), textOf(error['message']));
  }
  const code = textOf(body['code']);
  const text = textOf(error) ?? textOf(body['message']);
  if (text !== undefined) return describe(code, text);
  const errors = body['errors'];
  if (errors !== undefined && errors !== null) return describe(code, firstText(errors));
  return { fromService: false };
}

const MONEY = /saldo|balance|funds/;
/** May also mean a credit in the case, so a 422 needs a word of lack or of a limit too. */
const CREDIT = /credit(?!or)/;
const LACK =
  /insufficien|insuficien|enough|suficien|sufficien|too low|exhausted|depleted|exceed|excedid|esgotad|zerad|acab(?:ou|aram)|remaining|limit|recarreg|top[ _-]?up|(?:sem|zero|low|without|out[ _-]of|falta de|nao (?:ha|tem|possui))[ _-]+(?:mais )?credit|(?<![a-z])no[ _-]*credit(?!o)/;

/** True when a refusal is about money: 402, or a 403/422 that says so (interface "Errors"). */
export function isAboutBalance(status: number, error: ServiceError): boolean {
  if (status === 402) return true;
  if (status !== 403 && status !== 422) return false;
  const said = `${error.code ?? ''} ${error.reason ?? ''}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return MONEY.test(said) || (CREDIT.test(said) && (status === 403 || LACK.test(said)));
}

function describe(code: string | undefined, reason: string | undefined): ServiceError {
  return {
    fromService: true,
    ...present({ code: errorCodeIn(code), reason: reason === undefined ? undefined : cleanReason(reason) }),
  };
}

/** Removes numbers that may be a person's, and links, which may be signed. */
function cleanReason(text: string): string {
  const read = text.slice(0, MAX_READ).replace(/https?:\/\/\S+/gi, '[link]');
  const clean = cutNumbers(read).replace(/\p{C}/gu, ' ');
  // A number that was cut in two is not recognised.
  return (text.length > MAX_READ ? clean.slice(0, -CUT_MARGIN) : clean).slice(0, MAX_REASON);
}

function firstText(errors: unknown): string | undefined {
  if (typeof errors !== 'object' || errors === null) return textOf(errors);
  return Object.values(errors)
    .map(firstText)
    .find((text) => text !== undefined);
}
