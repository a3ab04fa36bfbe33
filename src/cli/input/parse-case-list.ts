/** A file of case numbers → cases. Pure. One number a line, with or without mask; `#` comments. */
import { parseCnj, type Cnj } from '../../contract/index.js';
import { usageError } from '../exit-codes.js';

const SHOWN_PROBLEMS = 20;

/** @throws a usage error that names every line that is no case number. */
export function parseCaseList(text: string): { readonly cases: readonly Cnj[]; readonly repeated: number } {
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
  if (problems.length > 0) {
    const more = problems.length - SHOWN_PROBLEMS;
    throw usageError(
      [...problems.slice(0, SHOWN_PROBLEMS), ...(more > 0 ? [`… and ${more} more lines`] : [])].join('\n'),
    );
  }
  if (cases.size === 0) throw usageError('the file has no case number; give one per line');
  return { cases: [...cases], repeated };
}
