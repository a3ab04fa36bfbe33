/** Flags and `--input` of `tramita start` → one input object. The flow's own rules check its members. */
import { FLOWS, WORKFLOW_TYPES, type MemberFlag, type WorkflowType } from '../../protocol/index.js';
import { usageError } from '../exit-codes.js';
import { parseObject } from './json-object.js';

/** The flags of all flows by the name of their input member: a flag means the same in every flow that has it. */
export const START_FLAGS: ReadonlyMap<string, MemberFlag> = new Map(
  Object.values(FLOWS)
    .flatMap(({ members }) => Object.entries(members))
    .flatMap(([name, { flag }]) => (flag === undefined ? [] : [[name, flag] as const])),
);

/** Flags as commander gives them: text, true for a flag without argument, undefined if absent. */
export type StartFlags = Readonly<Record<string, string | boolean | undefined>>;

/** @throws a usage error if there is no such flow, or flags and `--input` contradict each other. */
export function readFlow(
  flow: string,
  json: string | undefined,
  flags: StartFlags = {},
): { readonly type: WorkflowType; readonly input: Readonly<Record<string, unknown>> } {
  const type = WORKFLOW_TYPES.find((known) => known === flow);
  if (type === undefined) throw usageError(`there is no flow "${flow}"; known: ${WORKFLOW_TYPES.join(', ')}`);
  const read = parseObject(json ?? '{}');
  if (!read.ok) throw usageError(`--input: expected one JSON object, like '{"cnj":"…"}'; ${read.problem}`);
  const given = read.value;
  const input: Record<string, unknown> = { ...given };
  for (const [member, flag] of Object.entries(flags)) {
    if (flag === undefined) continue;
    const value = typeof flag === 'string' ? valueOf(flag, START_FLAGS.get(member)?.form) : flag;
    if (member in given && given[member] !== value) {
      throw usageError(`--input and a flag give different values for "${member}"; give it once`);
    }
    input[member] = value;
  }
  return { type, input };
}

/** A value that does not fit its form stays text: the flow's own check then names the member and the value. */
function valueOf(text: string, form: MemberFlag['form']): unknown {
  switch (form) {
    case 'number':
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    case 'json': {
      const read = parseObject(text);
      return read.ok ? read.value : text;
    }
    case 'list':
      return text.split(',');
    case 'on/off':
      if (text === 'true' || text === 'on') return true;
      return text === 'false' || text === 'off' ? false : text;
    case undefined:
      return text;
  }
}
