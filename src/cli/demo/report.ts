/** The end of the demo as people read it. Pure. */
import { formatTable } from '../output/output.js';
import type { DemoReport } from './run-demo.js';

export function reportText({ documents, charges, claims, runUrl, workflowId }: DemoReport): string {
  return [
    '',
    'Documents',
    formatTable(
      ['SHA-256', 'BYTES', 'TITLE'],
      documents.map(({ sha256, bytes, title, id, error }) => [
        sha256 ?? error ?? 'not downloaded',
        String(bytes ?? ''),
        title ?? id,
      ]),
    ),
    '',
    'Money',
    formatTable(
      ['CALL', 'LEDGER', 'CHARGE BOOK'],
      [
        ...charges.rows.map(({ operation, ledger, book }) => [operation, ledger ?? '–', book ?? '–']),
        [`${charges.ledger.count} and ${charges.book.count} charges`, charges.ledger.sum, charges.book.sum],
      ],
    ),
    `ledger = charge book: ${charges.equal ? 'equal' : 'NOT equal'}`,
    '',
    ...claims.map(({ claim, held }) => `${held ? '✓' : '✗'} ${claim}`),
    '',
    runUrl === null
      ? `The run: workflow ${workflowId} in the UI of your Temporal server`
      : `The run in the Temporal UI (there while the stack is up, see --keep): ${runUrl}`,
  ].join('\n');
}
