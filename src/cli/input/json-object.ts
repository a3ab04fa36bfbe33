/** A text that has to be one JSON object → the object, or what is wrong with the text. Pure. */
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { shownJson } from '../../contract/values/index.js';
import type { Parsed } from '../../protocol/index.js';
import { printable } from '../output/output.js';

export function parseObject(text: string): Parsed<JsonObject> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? { ok: true, value } : { ok: false, problem: `seen: ${shownJson(value)}` };
  } catch (error) {
    return { ok: false, problem: `it is no JSON: ${printable((error as Error).message)}` };
  }
}
