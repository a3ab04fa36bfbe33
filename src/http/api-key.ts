/**
 * The header that carries the key (interface "Authentication" 2). Refuses a key that no header may carry: axios would
 * silently drop a line end and send a wrong key. The key is never shown.
 */

export type AuthForm = 'x-api-key' | 'bearer';

/** A sanity bound of ours, not a limit of the service: a pasted file is not a key. */
const MAX_KEY_LENGTH = 1_024;

/** Throws `tramita: …` (without the key) when the key is empty, too long or not printable ASCII without blanks. */
export function buildKeyHeader(apiKey: string, auth: AuthForm): Readonly<Record<string, string>> {
  if (apiKey === '') throw new Error('tramita: the API key is empty; set TRAMITA_API_KEY');
  if (apiKey.length > MAX_KEY_LENGTH) {
    throw new Error(
      `tramita: the API key has ${apiKey.length} characters, more than ${MAX_KEY_LENGTH}; check TRAMITA_API_KEY`,
    );
  }
  const odd = apiKey.search(/[^\x21-\x7e]/);
  if (odd !== -1) {
    throw new Error(
      `tramita: the API key has a space, a line end or another character that is not allowed in a header, at position ${odd + 1}; ` +
        'check TRAMITA_API_KEY (a line end at the end of a secret file is the usual cause)',
    );
  }
  return auth === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { 'x-api-key': apiKey };
}
