/** Changes deep inside a JSON answer; an answer that is not JSON stays as it is. Pure. */
import { isJsonObject, type JsonObject } from '../../src/contract/index.js';
import type { Answer } from '../answer.js';

/** `change` returns a new value for a member, or undefined to descend into it. */
export function changeMembers(answer: Answer, change: (name: string, value: unknown) => unknown): Answer {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, change(name, member) ?? walk(member)]),
    );
  };
  return rewrite(answer, walk);
}

/** `change` receives every list of records directly under `data` (or of the bare payload). */
export function changeRecords(
  answer: Answer,
  change: (records: readonly JsonObject[]) => readonly JsonObject[],
): Answer {
  const inside = (record: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(record).map(([name, member]) => [
        name,
        Array.isArray(member) && member.every((each) => isJsonObject(each))
          ? change(member as readonly JsonObject[])
          : member,
      ]),
    );
  return rewrite(answer, (body) => {
    if (!isJsonObject(body)) return body;
    const { data } = body;
    return isJsonObject(data) ? { ...body, data: inside(data) } : inside(body);
  });
}

function rewrite(answer: Answer, change: (body: unknown) => unknown): Answer {
  try {
    return { ...answer, body: Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString('utf8'))))) };
  } catch {
    return answer;
  }
}
