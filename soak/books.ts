/** Reads the books of both sides for the auditor: ledger rows of the flows, charges and requests of their services. */
import type { Charge } from '../sandbox/index.js';
import { createTokens, type Config } from '../src/config/index.js';
import { OPERATIONS, withExtraOperations, type OperationId } from '../src/contract/index.js';
import { createLedger, toLedgerRow, type LedgerRow } from '../src/ledger/index.js';
import type { Database } from '../src/store/index.js';
import { alteredOf, auditBooks, type Finding } from '../src/testing/index.js';
import { aboutTarget } from './about.js';
import { pageOf, type Flow } from './flow-book.js';

/** What is needed to read a ledger. */
interface LedgerPlace {
  readonly db: Database;
  readonly config: Pick<Config, 'gaps' | 'prices'>;
}

/** Newest first, through the ledger's public functions, as `tramita ledger list --json` does. */
export async function readRows({ db, config }: LedgerPlace): Promise<readonly LedgerRow[]> {
  const ledger = createLedger({
    db,
    gaps: config.gaps,
    clock: Date.now,
    token: createTokens('only to read rows, 0123456789abcdef0123').token,
    settings: { accounts: {}, prices: config.prices },
    catalogue: withExtraOperations(OPERATIONS, []),
  });
  return (await ledger.list({ limit: 1_000_000 })).map(toLedgerRow);
}

export interface Audited {
  /** Rows of the audited flows. */
  readonly rows: readonly LedgerRow[];
  readonly charges: readonly Charge[];
  readonly findings: readonly Finding[];
}

/** For flows whose calls have arguments that no other call has: each call may be charged once. */
export async function auditFlows(place: LedgerPlace, flows: readonly Flow[]): Promise<Audited> {
  const byId = new Map(flows.map((flow) => [flow.workflowId, flow]));
  const all = (await readRows(place)).filter(({ workflowId }) => byId.has(workflowId));
  const parts: Audited[] = [];
  for (const service of new Set(flows.map((flow) => flow.service))) {
    const rows = all.filter(({ workflowId }) => byId.get(workflowId)?.service === service);
    const charges = await service.charges();
    const requests = await service.requests();
    const known = new Set(flows.flatMap(({ abouts }) => abouts));
    const findings = auditBooks({
      ledger: rows,
      book: charges,
      requests,
      asked: new Map(),
      decisionsAreTrue: true,
      altered: alteredOf(charges, requests),
      subjectOf: {
        row: ({ workflowId, step }) => byId.get(workflowId)?.abouts[pageOf(step)] ?? workflowId,
        // A refresh is identified by its case: its body has members beyond its arguments.
        charge: ({ about = '', subject }) => (known.has(about) ? about : subject.cnj),
        request: ({ operation, target }) => aboutTarget(operation as OperationId, target, place.config.gaps),
      },
    });
    parts.push({ rows, charges, findings });
  }
  return {
    rows: parts.flatMap(({ rows }) => rows),
    charges: parts.flatMap(({ charges }) => charges),
    findings: parts.flatMap(({ findings }) => findings),
  };
}

/** Whether free evidence has decided the call. */
export function isDecidedByEvidence({ evidence }: LedgerRow): boolean {
  const { adopted, proof, by } = evidence ?? {};
  return adopted !== undefined || proof === 'listing' || proof === 'balance' || by === 'tramita (evidence)';
}
