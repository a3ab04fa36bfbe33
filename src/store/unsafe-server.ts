/** Does the server keep what it has confirmed when its machine loses power? An intent that it forgets is money paid twice. */
import type { Database } from './connect.js';

/** Settings that let a crash of the machine undo or tear confirmed commits. */
const MUST_BE_ON = ['fsync', 'full_page_writes'] as const;

/** Names of the server's settings that are off and must be on. Rejects if the database is away. */
export async function unsafeSettings(db: Database): Promise<readonly string[]> {
  const row = await db
    .selectNoFrom((select) =>
      MUST_BE_ON.map((name) => select.fn<string>('current_setting', [select.val(name)]).as(name)),
    )
    .executeTakeFirstOrThrow();
  return MUST_BE_ON.filter((name) => row[name] === 'off');
}

/** A message that names the cure; undefined where nothing is off. Pure. */
export function unsafeServerProblem(settings: readonly string[]): string | undefined {
  if (settings.length === 0) return undefined;
  const off = `PostgreSQL runs with ${settings.map((name) => `${name} = off`).join(' and ')}`;
  return `tramita: ${off}: a crash of its machine may forget calls that were paid, and they would be paid again; set it to on (TRAMITA_UNSAFE_DATABASE=1 starts anyway, for a database without real charges)`;
}
