/**
 * Secrets: text → usable secret, or why it is refused. Pure. A problem names position and length, never a character of the
 * value. A blank or short secret is refused at the start: an empty one is the usual hole in webhook receivers.
 */
import type { Parsed } from '../protocol/index.js';
import { bad, good } from './parse-values.js';

/** How the text of a webhook secret becomes key bytes: the interface does not say. */
export type SecretForm = 'utf8' | 'hex';

/** Shorter secrets can be guessed. */
const MIN_SECRET_BYTES = 16;
/** For the HMAC-SHA-256 key of tokens: as many characters as the hash has bytes. */
const MIN_ID_KEY_CHARACTERS = 32;

/** Sent in a header, so visible ASCII only. No minimum length, because keys of test services may be short. */
export function parseApiKey(text: string): Parsed<string> {
  return /^[\x21-\x7e]+$/.test(text)
    ? good(text)
    : bad(lengthOf(text), 'visible ASCII characters without spaces or line ends');
}

export function parseIdKey(text: string): Parsed<string> {
  if (hasEdgeBlank(text)) return bad(`${lengthOf(text)} with a space or line end at its start or end`, 'none there');
  return text.length >= MIN_ID_KEY_CHARACTERS
    ? good(text)
    : bad(lengthOf(text), `at least ${MIN_ID_KEY_CHARACTERS} characters, like the output of \`openssl rand -hex 32\``);
}

/** Comma list of webhook secrets in the given form, newest first. */
export function parseWebhookSecrets(text: string, form: SecretForm): Parsed<readonly string[]> {
  return eachEntry(text, (entry, position) => {
    if (form === 'hex' && !/^([0-9a-fA-F]{2})+$/.test(entry)) {
      return bad(`${position} that is not hex of even length`, 'hex digits in pairs (the form is set to hex)');
    }
    const bytes = Buffer.byteLength(entry, form);
    return bytes >= MIN_SECRET_BYTES ? good(entry) : bad(`${position} of ${bytes} bytes`, atLeast());
  });
}

/** Comma list of bearer tokens, newest first. Sent in a header, so visible ASCII only. */
export function parseWebhookTokens(text: string): Parsed<readonly string[]> {
  return eachEntry(text, (entry, position) => {
    if (!/^[\x21-\x7e]+$/.test(entry))
      return bad(`${position} with other than visible ASCII`, 'visible ASCII characters');
    return entry.length >= MIN_SECRET_BYTES ? good(entry) : bad(`${position} of ${entry.length} bytes`, atLeast());
  });
}

function eachEntry(
  text: string,
  check: (entry: string, position: string) => Parsed<string>,
): Parsed<readonly string[]> {
  const entries = text.split(',');
  const accepted: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const position = entries.length === 1 ? 'a value' : `entry ${index + 1} of ${entries.length}`;
    if (entry.trim() === '') return bad(`${position} that is blank`, atLeast());
    if (hasEdgeBlank(entry)) return bad(`${position} with a space or line end at its start or end`, 'none there');
    const checked = check(entry, position);
    if (!checked.ok) return checked;
    accepted.push(checked.value);
  }
  return good(accepted);
}

function hasEdgeBlank(text: string): boolean {
  return text !== text.trim();
}

function lengthOf(text: string): string {
  return `a value of ${text.length} characters`;
}

function atLeast(): string {
  return `at least ${MIN_SECRET_BYTES} bytes, like the output of \`openssl rand -hex 32\``;
}
