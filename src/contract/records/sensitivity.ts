/**
 * How a record may be handled. A sign of secrecy anywhere in it makes it SEALED. The absence of signs makes nothing public:
 * each kind of record has a lowest sensitivity.
 */
import { isJsonObject, type JsonObject } from '../json.js';
import { inBothSpellings } from './fields.js';

/** In rising order; only PUBLIC may appear in ids, search attributes and logs. */
export type Sensitivity = 'PUBLIC' | 'PERSONAL' | 'SENSITIVE' | 'SEALED';

const LEVELS = inBothSpellings('nivelSigilo', 'secrecyLevel');
const FLAGS = inBothSpellings('segredoJustica', 'segredoDeJustica', 'sigiloso');
const NAMES = [
  ...['nome', 'name', 'titulo', 'parte', 'beneficiario'],
  ...inBothSpellings('tituloPoloAtivo', 'tituloPoloPassivo', 'poloAtivo', 'poloPassivo'),
];
/** `PARTE/PROCESSO SIGILOSO...` as seen in DJEN; rows of asterisks elsewhere. */
const MASKED = /\bsigilos[oa]\b|segredo\s+de\s+justi[cç]a|em\s+segredo|^\W*\*{3,}|\bx{5,}\b/i;
/** Enough for a case with thousands of parties; a record with more objects counts as SEALED. */
const MAX_OBJECTS = 50_000;

/** How secret a record is, by its own members; never less than `floor`. */
export function decideSensitivity(record: unknown, floor: Sensitivity): Sensitivity {
  let seen = 0;
  for (const object of objectsIn(record, MAX_OBJECTS)) {
    seen += 1;
    if (LEVELS.some((name) => isLevel(object[name])) || FLAGS.some((name) => isOn(object[name]))) return 'SEALED';
    if (NAMES.some((name) => isMasked(object[name]))) return 'SEALED';
  }
  return seen >= MAX_OBJECTS ? 'SEALED' : floor;
}

/** Every object in `value`, itself included, in no particular order; at most `limit`. Not recursive, so that deep nesting cannot overflow the stack. */
function* objectsIn(value: unknown, limit: number): Generator<JsonObject> {
  const waiting: unknown[] = [value];
  let left = limit;
  while (waiting.length > 0 && left > 0) {
    const current = waiting.pop();
    if (Array.isArray(current)) {
      for (const item of current as unknown[]) waiting.push(item);
    } else if (isJsonObject(current)) {
      left -= 1;
      yield current;
      for (const member of Object.values(current)) if (typeof member === 'object') waiting.push(member);
    }
  }
}

/** Level 0 is public; anything above, or a word where a digit should be, is not. */
function isLevel(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return Number(isJsonObject(value) ? value['codigo'] : value) !== 0;
}

function isOn(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === 'string' && /^(?:1|true|s|sim|y|yes)$/i.test(value.trim()));
}

function isMasked(value: unknown): boolean {
  return typeof value === 'string' && MASKED.test(value);
}
