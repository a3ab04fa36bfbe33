/**
 * The pictures of docs/operations.md: flows in the Temporal UI as people see them, made by a real browser. Not part of the
 * suite: runs only by `npm run docs:screenshots` and writes docs/images. Needs Chromium (CHROMIUM names it).
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { packageRoot } from '../../src/local/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const { CHROMIUM: executablePath = '/usr/bin/chromium', TRAMITA_SCREENSHOTS: isEnabled } = process.env;
const FOLDER = join(packageRoot(), 'docs', 'images');
const HAPPY = '1000001-51.2026.8.26.0100';
const SIZE = { width: 1440, height: 1180 };
/** Without the menu on the left and the bar on top, which say nothing about a flow. */
const SHOWN = { x: 205, y: 50, width: SIZE.width - 205, height: SIZE.height - 50 };
const MOST_BYTES = 170_000;
const WITHIN_MS = 30_000;

(isEnabled === '1' ? describe : describe.skip)('pictures of the Temporal UI (`npm run docs:screenshots`)', () => {
  const flows = withFlows({ sandbox: { refreshMs: 300 } });
  const [parkedCase, waitingCase, shortCase] = [newCase(), newCase(), newCase()];
  let browser: Browser;
  let page: Page;
  let ui: string;

  beforeAll(async () => {
    ui = process.env['TRAMITA_TEST_TEMPORAL_UI'] ?? '';
    mkdirSync(FOLDER, { recursive: true });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    flows.atEnd(() => browser.close());
    page = await (await browser.newContext({ viewport: SIZE, deviceScaleFactor: 0.8, colorScheme: 'light' })).newPage();
    page.setDefaultTimeout(WITHIN_MS);

    await (await flows.refresh({ cnj: HAPPY, documents: true })).result();
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 503, body: 'gateway', times: 1_000 });
    await flows.parked((await flows.refresh({ cnj: parkedCase })).workflowId);
    await flows.parked((await flows.refresh({ cnj: shortCase, maxSpend: '0.10', documents: true })).workflowId);
    await flows.refresh({ cnj: waitingCase, webhook: true });
  });

  it('are taken and written to docs/images', async () => {
    const query = 'TramitaAttention IS NOT NULL AND ExecutionStatus = "Running"';
    await open(`workflows?query=${encodeURIComponent(query)}`, [parkedCase]);
    await picture('ui-list', 340);
    await open(`workflows/refresh.default.${waitingCase}/${await runOf(waitingCase)}/user-metadata`, ['waiting']);
    await picture('ui-waiting');
    await open(`workflows/refresh.default.${parkedCase}/${await runOf(parkedCase)}/user-metadata`, ['requestRefresh']);
    await picture('ui-parked');
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menuitem', { name: 'Send an Update' }).click();
    const dialog = page.locator('dialog[open], [role=dialog]').last();
    await dialog.locator('input').first().click({ force: true });
    await page.getByRole('option', { name: 'settleCharge' }).click();
    await page.locator('.cm-content').last().click();
    await page.keyboard.insertText('{"step": "requestRefresh", "decision": "not-charged", "by": "ana"}');
    // The first click only leaves the text field: the text is then formatted, and the button moves away.
    const submit = page.getByRole('button', { name: 'Submit' });
    await submit.click();
    await until(async () => (await dialog.locator('.cm-line').count()) > 1, {
      what: 'the text to be formatted',
    });
    await picture('ui-decide', 760);
    await submit.click();
    await until(async () => (await statesOf(parkedCase)).includes('closed'), {
      what: 'the decision of the dialog to be in the ledger',
    });
    const done = HAPPY.replace(/\D/g, '');
    await open(`workflows/refresh.default.${done}/${await runOf(done)}/history`, ['"status": "done"']);
    await picture('ui-finished', 760);
  });

  const runOf = async (cnj: string): Promise<string> =>
    (await flows.client.workflow.getHandle(`refresh.default.${cnj}`).describe()).runId;

  const statesOf = async (cnj: string): Promise<readonly string[]> => {
    const rows = flows.database.db.selectFrom('tramita.intent').select('state');
    return (await rows.where('workflow_id', '=', `refresh.default.${cnj}`).execute()).map(({ state }) => state);
  };

  async function picture(name: string, height = SHOWN.height): Promise<void> {
    const path = join(FOLDER, `${name}.png`);
    await page.screenshot({ path, animations: 'disabled', clip: { ...SHOWN, height } });
    expect(statSync(path).size).toBeLessThan(MOST_BYTES);
  }

  /** Waits until the page shows all of these texts. */
  async function open(path: string, texts: readonly string[]): Promise<void> {
    await page.goto(`${ui}/namespaces/default/${path}`);
    let seen = '';
    await until(
      async () => {
        const frames = page.frames().map((frame) => frame.locator('body').innerText({ timeout: 2_000 }));
        seen = (await Promise.allSettled(frames))
          .flatMap((read) => (read.status === 'fulfilled' ? read.value : []))
          .join('\n');
        return texts.every((text) => seen.includes(text));
      },
      { withinMs: WITHIN_MS, what: `the page ${path}` },
    ).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it shows\n${seen}`);
    });
  }
});
