/**
 * Canaries: the API key, signed links and the id key must not be in any history (raw export, decoded payloads), log line or
 * ledger row, however the flow ended.
 */
import { OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import { toLedgerRow, createLedger } from '../../src/ledger/index.js';
import { createTokens } from '../../src/config/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

const HAPPY = '1000001-51.2026.8.26.0100';

describe('secrets', () => {
  const flows = withFlows();

  it('appear in no history, log line or ledger row of a complete, a failed and a parked flow', async () => {
    const runs: string[] = [];
    const good = await flows.refresh(
      { cnj: HAPPY, documents: true, download: true },
      { workflowId: `canary-${newCase()}` },
    );
    expect((await good.result()).documents[0]).toMatchObject({ stored: expect.any(String) as string });
    runs.push(good.workflowId);
    const lost = newCase();
    await flows.loseRefresh(lost);
    const parked = await flows.refresh({ cnj: lost });
    await flows.parked(parked.workflowId);
    runs.push(parked.workflowId);
    await flows.fault({
      operation: 'requestRefresh',
      fault: 'status',
      status: 422,
      body: { error: { code: 'X', message: `bad link ${flows.sandbox.documentsUrl}/x?sig=abc of CPF 529.982.247-25` } },
    });
    const refused = await flows.refresh({ cnj: newCase() });
    await failureOf(refused);
    runs.push(refused.workflowId);

    const canaries = [
      'sandbox-key',
      flows.env['TRAMITA_ID_KEY']!,
      flows.sandbox.documentsUrl,
      '529.982.247-25',
      '52998224725',
      ...(await signedLinks()),
    ];
    const places: Record<string, string> = { logs: flows.logs.join('\n') };
    for (const workflowId of runs) {
      const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
      places[`history of ${workflowId}`] = JSON.stringify(events, decodePayloads);
    }
    const ledger = createLedger({
      db: flows.database.db,
      token: createTokens(flows.env['TRAMITA_ID_KEY']!).token,
      clock: Date.now,
      catalogue: withExtraOperations(OPERATIONS, []),
      gaps: flows.config.gaps,
      settings: { accounts: {}, prices: flows.config.prices },
    });
    places['ledger'] = JSON.stringify((await ledger.list({})).map(toLedgerRow));
    for (const [place, text] of Object.entries(places)) {
      for (const canary of canaries)
        expect({ place, canary, found: text.includes(canary) }).toEqual({ place, canary, found: false });
    }
    expect(JSON.stringify(places)).toContain('requestRefresh');
    await flows.client.workflow.getHandle(parked.workflowId).terminate('seen');
  });

  /** The signed links of this run, from the answers in the database. */
  async function signedLinks(): Promise<string[]> {
    const rows = await flows.database.db
      .selectFrom('tramita.answer_bytes' as never)
      .selectAll()
      .execute();
    const bodies = rows.map((row) =>
      Buffer.from(Object.values(row).find((value) => Buffer.isBuffer(value)) as Buffer).toString('utf8'),
    );
    const links = bodies.flatMap((body) => body.match(/https?:\/\/[^"\\]+sig[^"\\]+/g) ?? []);
    expect(links.length).toBeGreaterThan(0);
    return links.map((link) => new URL(link).search);
  }
});

/** Decodes payload bytes to text, so that their content is searched too. */
function decodePayloads(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const json = value as { type?: string; data?: unknown };
  if (json.type === 'Buffer' && Array.isArray(json.data)) return Buffer.from(json.data as number[]).toString('utf8');
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}
