/** The JSON of an answer itself, while it is small enough to travel; its hash where it is not. Pure. */
import type { Json } from '../../contract/index.js';
import type { ReadableAnswer } from './types.js';

/** Design 7: a body up to 128 KB crosses Temporal, a larger one stays in the database. */
export const MAX_BODY_BYTES = 131_072;

export function readBodyItself({ body, bytes, sha256 }: ReadableAnswer): Json {
  return bytes <= MAX_BODY_BYTES ? { body: (body ?? null) as Json, bodySha256: sha256 } : { bodySha256: sha256 };
}
