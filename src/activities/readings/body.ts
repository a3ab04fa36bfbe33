/**
 * The JSON body of an answer if it is small enough for a workflow history, and always its hash; or the file that the answer is.
 * Signed links are taken out: they would open documents to everyone who reads a history. Pure.
 */
import { present, type Json } from '../../contract/index.js';
import type { BodyReading } from '../../protocol/index.js';
import { withoutLinks } from '../../records/index.js';
import type { ReadableAnswer } from './types.js';

/** Largest body that goes through Temporal; a larger one stays in the database. */
const MAX_BODY_BYTES = 131_072;

export function readBodyItself(answer: ReadableAnswer): BodyReading {
  const { bytes, sha256, body, headers, file, fileOwed } = answer;
  return {
    bodySha256: sha256,
    ...present({ headers, file, fileOwed }),
    ...(body === undefined || bytes > MAX_BODY_BYTES ? {} : { body: bodyOf(answer) }),
  };
}

/** A reproduced answer may be a documents list: its operation is not known. */
function bodyOf({ operation, body }: ReadableAnswer): Json {
  const mayHaveLinks = operation.id === 'listPublicDocuments' || operation.answer === 'reproduced';
  return (mayHaveLinks ? withoutLinks(body as Record<string, unknown>) : body) as Json;
}
