/** Members that hold arguments of an operation: their form and size. The catalogue says which ones an operation takes. Pure. */
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { parseCnj, present, shownName } from '../../contract/values/index.js';
import { optional, textLike, withFlag } from './kinds.js';
import { checkJson, problem, type Member } from './members.js';

const MAX_ARGUMENTS = 100;
/** Of the JSON text: arguments are part of every history event of their call. */
const MAX_JSON = 64_000;

export const operationId: Member<string> = withFlag(
  textLike(/^[A-Za-z][\w-]{0,59}$/, 'must be the id of an operation ("tramita operations" lists them)'),
  { takes: '<id>', help: 'operation of callOperation and collectPages ("tramita operations" lists them)' },
);

/** Texts, numbers, true/false, and lists of texts and numbers, by their names. */
export const parameters: Member<Parameters> = {
  schema: { maxProperties: MAX_ARGUMENTS },
  read: (params = {}, name) => {
    if (!isJsonObject(params)) throw problem(name, 'must be an object with the parameters by their names', params);
    const entries = Object.entries(params);
    if (entries.length > MAX_ARGUMENTS) {
      throw problem(name, `must have at most ${MAX_ARGUMENTS} members`, entries.length);
    }
    for (const [parameter, each] of entries) {
      const fine = isScalar(each) || (Array.isArray(each) && each.every((item) => isScalar(item) && item !== true));
      if (!fine) {
        throw problem(`${name}.${shownName(parameter)}`, 'must be text, a number, true, false or a list', each);
      }
    }
    checkJson(name, params, MAX_JSON);
    // One spelling, so that equal calls have equal ids; any other number is refused with the other arguments.
    const cnj = parseCnj(params['cnj']);
    return { ...(params as Parameters), ...present({ cnj: cnj.ok ? cnj.cnj : undefined }) };
  },
  flag: { takes: '<json>', form: 'json', help: 'its parameters, by the names of the service' },
};

/** As it will be sent. */
export const jsonBody: Member<JsonObject | undefined> = withFlag(
  optional({
    schema: {},
    read: (value, name) => {
      if (!isJsonObject(value)) throw problem(name, 'must be one JSON object', value);
      checkJson(name, value, MAX_JSON);
      return value;
    },
  }),
  { takes: '<json>', form: 'json', help: 'its JSON body' },
);

function isScalar(value: unknown): boolean {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}
