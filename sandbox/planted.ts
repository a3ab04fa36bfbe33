/**
 * Text of the tester's choice in the service's answers, so that a test can search for it afterwards: JSON members with
 * given names, and a line in each PDF. It changes the bytes that are written, not the charge; the hash in the charge
 * book is of the unchanged answer.
 */
import { z } from 'zod';
import type { Answer } from './answer.js';

export const plantSchema = z.strictObject({
  /** Every text member with one of these names, at any depth; a later entry overrides an earlier one. */
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
  /** Replaces the earlier text. */
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
    // Inserted before the last lines: text after the cross-reference table shifts no offset in the table.
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
