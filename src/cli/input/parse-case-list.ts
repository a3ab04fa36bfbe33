/** A file of case numbers → cases, or every line that is not one. Pure. One number a line, with or without mask; `#` comments. */
import { parseCnj, type Cnj } from '../../contract/index.js';

export type CaseList =
  | { readonly ok: true; readonly cases: readonly Cnj[]; readonly repeated: number }
  | { readonly ok: false; readonly problems: readonly string[] };

const SHOWN_PROBLEMS = 20;

export function parseCaseList(text: string): CaseList {
  const cases = new Set<Cnj>();
  const problems: string[] = [];
  let repeated = 0;
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .forEach((line, index) => {
      // Of a CSV only the first column is read.
      const [firstCell = ''] = line.split(/[#;,\t]/);
      const value = firstCell.trim().replace(/^"(.*)"$/, '$1');
      if (value === '') return;
      const parsed = parseCnj(value);
      if (!parsed.ok) problems.push(`line ${index + 1}: ${parsed.problem}; seen: "${value.slice(0, 40)}"`);
      else if (cases.has(parsed.cnj)) repeated += 1;
      else cases.add(parsed.cnj);
    });
  if (problems.length > SHOWN_PROBLEMS) {
    const more = problems.length - SHOWN_PROBLEMS;
    return { ok: false, problems: [...problems.slice(0, SHOWN_PROBLEMS), `… and ${more} more lines`] };
  }
  if (problems.length > 0) return { ok: false, problems };
  return cases.size === 0
    ? { ok: false, problems: ['the file has no case number; give one per line'] }
    : { ok: true, cases: [...cases], repeated };
}
