/**
 * Encrypted flows in the Temporal UI of a real browser: readable with the codec server's token, ciphertext without it. Needs
 * Chromium (CHROMIUM names it; /usr/bin/chromium) and a Temporal server of the test run. Runs only by `npm run test:ui`.
 */
import { sql } from 'kysely';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { createCodecServer, hashToken, makeToken, type CodecServer } from '../../src/codec-server/index.js';
import { recordAccess } from '../../src/privacy/index.js';
import { migrate } from '../../src/store/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { temporal, withFlows } from './with-flows.js';

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
/** This case has documents; a generated case may have none. */
const HAPPY = '1000001-51.2026.8.26.0100';
const WAITING = newCase();
const TOKEN = makeToken();
const { CHROMIUM: executablePath = '/usr/bin/chromium', TRAMITA_TEST_UI: isEnabled } = process.env;
const WITHIN_MS = 20_000;

(isEnabled === '1' ? describe : describe.skip)('encrypted flows in the Temporal UI (`npm run test:ui`)', () => {
  const flows = withFlows({ payloadKeys: KEYS });
  const log: string[] = [];
  let browser: Browser;
  let codec: CodecServer;
  let ui: string;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    ui = process.env['TRAMITA_TEST_TEMPORAL_UI'] ?? '';
    await migrate(flows.database.directUrl, { codecUrl: flows.database.codecUrl });
    const db = flows.database.connect({ url: flows.database.codecUrl });
    const { payloadKeys: keys } = temporal(KEYS);
    if (keys === undefined) throw new Error('no keys');
    const write = (fields: object, message: string): void => void log.push(`${message} ${JSON.stringify(fields)}`);
    codec = await createCodecServer({
      listen: { host: '127.0.0.1', port: 0 },
      origins: [ui],
      namespaces: ['default'],
      keys,
      tokens: [{ name: 'ana', sha256: hashToken(TOKEN) }],
      encode: false,
      secureCookie: false,
      log: { info: write, warn: write, error: write },
      checkDatabase: () => Promise.resolve(),
      recordAccess: (access) => recordAccess(db, access),
    });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    await (await flows.refresh({ cnj: HAPPY, documents: true }, { workflowId: 'ui-done' })).result();
    // Nothing settles the charge, so the flow stays parked while the browser looks.
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 503, body: 'gateway', times: 1_000 });
    await flows.refresh({ cnj: WAITING }, { workflowId: 'ui-waiting' });
    await flows.parked('ui-waiting');
  });

  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser.close();
    await codec.close();
  });

  it('are readable with the token: input, results and the details of a parked flow', async () => {
    const page = await openBrowser();
    await page.goto(`${codec.url}/login`);
    await page.fill('input[name=token]', TOKEN);
    await page.click('button');
    await page.getByText('Logged in').waitFor();
    await useCodec(page);

    await shows(page, 'ui-done/history', [HAPPY, '"status": "done"', 'Petição inicial']);
    await shows(page, 'ui-waiting/history', [WAITING, 'requestRefresh']);
    await shows(page, 'ui-waiting/user-metadata', ['requestRefresh']);
    const { rows } = await sql<{ by_whom: string; items: number }>`
      select by_whom, sum(items)::int as items from tramita.access_log group by 1`.execute(flows.database.db);
    expect(rows).toEqual([{ by_whom: 'ana', items: expect.any(Number) as number }]);
    expect(rows[0]?.items).toBeGreaterThan(5);
  });

  it('are ciphertext for a browser without the token', async () => {
    const page = await openBrowser();
    await useCodec(page);
    const text = await shows(page, 'ui-done/history', ['Data decoding failed', 'encryption-key-id']);
    for (const hidden of [HAPPY, 'Petição', '"status": "done"']) expect(text).not.toContain(hidden);
    expect(log.join('\n')).toContain('refused {"status":401,"reason":"no valid token (no token)"');
  });

  it('are ciphertext for a wrong token, which is refused and logged', async () => {
    const page = await openBrowser();
    await page.goto(`${codec.url}/login`);
    await page.fill('input[name=token]', 'wrong');
    await page.click('button');
    await page.getByText('This token is not accepted').waitFor();
    expect(log.join('\n')).toContain('login refused {"status":401,"reason":"unknown token"}');
    const cookie = { name: 'tramita_codec', value: 'wrong', domain: '127.0.0.1', path: '/decode' };
    await page.context().addCookies([cookie]);
    await useCodec(page);
    const text = await shows(page, 'ui-done/history', ['Data decoding failed']);
    expect(text).not.toContain(HAPPY);
    expect(log.join('\n')).toContain('refused {"status":401,"reason":"no valid token (unknown token)"');
    expect(log.join('\n')).not.toContain('wrong');
  });

  async function openBrowser(): Promise<Page> {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(WITHIN_MS);
    return page;
  }

  /** Sets the codec server in the UI, as a person does once in each browser. */
  async function useCodec(page: Page): Promise<void> {
    await page.goto(`${ui}/namespaces/default/workflows`);
    await page.getByTestId(/^data-encoder-status/).click();
    await page.getByTestId('use-local-endpoint-input').click({ force: true });
    await page.fill('#data-encoder-endpoint-input', codec.url);
    await page.getByText('Include cross-origin credentials').click();
    await page.locator('#data-encoder-settings >> [data-testid="confirm-modal-button"]').click();
  }

  /** Waits until the page of the flow has all of these texts, and returns its whole text. */
  async function shows(page: Page, path: string, texts: readonly string[]): Promise<string> {
    const [workflowId = '', tab = ''] = path.split('/');
    const { runId } = (await flows.client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo
      ?.execution as { runId: string };
    await page.goto(`${ui}/namespaces/default/workflows/${workflowId}/${runId}/${tab}`);
    let seen = '';
    await until(
      async () => {
        // The UI shows details as Markdown in a separate frame.
        const frames = page.frames().map((frame) => frame.locator('body').innerText({ timeout: 2_000 }));
        seen = (await Promise.allSettled(frames))
          .flatMap((read) => (read.status === 'fulfilled' ? read.value : []))
          .join('\n');
        return texts.every((text) => seen.includes(text));
      },
      { withinMs: WITHIN_MS, what: `the page ${path} to show ${texts.join(', ')}` },
    ).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it shows\n${seen}`);
    });
    return seen;
  }
});
