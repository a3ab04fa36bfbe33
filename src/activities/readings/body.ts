/**
 * The JSON of an answer itself, while it is small enough to travel; its hash where it is not, or the file that it is. Signed
 * links are taken out: they open documents to everyone who reads a history. Pure.
 */
import { present, type Json } from '../../contract/index.js';
import type { BodyReading } from '../../protocol/index.js';
import { withoutLinks } from '../../records/index.js';
import type { ReadableAnswer } from './types.js';

/** Of a body that crosses Temporal; a larger one stays in the database. */
const MAX_BODY_BYTES = 131_072;

export function readBodyItself(answer: ReadableAnswer): BodyReading {
  const { bytes, sha256, body, file, fileOwed } = answer;
  return {
    bodySha256: sha256,
    ...present({ file, fileOwed }),
    ...(body === undefined || bytes > MAX_BODY_BYTES ? {} : { body: bodyOf(answer) }),
  };
}

/** A reproduced answer may be a documents list: its operation is not known. */
function bodyOf({ operation, body }: ReadableAnswer): Json {
  const mayHaveLinks = operation.id === 'listPublicDocuments' || operation.answer === 'reproduced';
  return (mayHaveLinks ? withoutLinks(body as Record<string, unknown>) : body) as Json;
}
