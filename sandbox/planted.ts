/**
 * Text of the tester's choice in what the service answers, so that it can be looked for afterwards: members of JSON answers by
 * their name, and a line in each PDF. It changes what is written, not what is charged; the hash in the charge book is that of
 * the answer before.
 */
import { z } from 'zod';
import type { Answer } from './answer.js';

export const plantSchema = z.strictObject({
  /** Every text member of these names, at any depth; a later entry goes over an earlier one. */
  members: z.array(
    z.strictObject({
      /** Catalogue id; `*`: all. */
      operation: z.string().default('*'),
      names: z.array(z.string()).min(1),
      text: z.string(),
    }),
  ),
  /** A comment in every PDF. One line of ASCII. */
  document: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .optional(),
});
export type Planting = z.output<typeof plantSchema>;

export interface Planted {
  /** Replaces what was planted before. */
  set(planting: Planting): void;
  into(answer: Answer, operation: string | null): Answer;
}

export function createPlanted(): Planted {
  let current: Planting = { members: [] };
  return {
    set: (planting) => {
      current = planting;
    },
    into: (answer, operation) => plant(answer, operation, current),
  };
}

function plant(answer: Answer, operation: string | null, { members, document }: Planting): Answer {
  const type = answer.headers['content-type'] ?? '';
  if (type.startsWith('application/pdf') && document !== undefined) {
    // Before the last lines: what stands behind the cross-reference table moves nothing that the table points to.
    const text = answer.body.toString('latin1').replace('\nstartxref\n', `\n%${document}\nstartxref\n`);
    return { ...answer, body: Buffer.from(text, 'latin1') };
  }
  const texts = new Map(
    members
      .filter((entry) => entry.operation === '*' || entry.operation === operation)
      .flatMap(({ names, text }) => names.map((name) => [name, text] as const)),
  );
  if (texts.size === 0 || !type.startsWith('application/json')) return answer;
  const value: unknown = JSON.parse(answer.body.toString('utf8'), (name, member: unknown) =>
    typeof member === 'string' ? (texts.get(name) ?? member) : member,
  );
  return { ...answer, body: Buffer.from(JSON.stringify(value)) };
}
