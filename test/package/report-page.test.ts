/**
 * The page of `tramita report` in a real browser: light, dark and on paper; no label overlaps another or is cut. Runs with
 * `npm run test:ui` only. Needs Chromium: CHROMIUM names it, by default /usr/bin/chromium. `TRAMITA_REPORT_PICTURES` names a
 * folder for pictures.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { buildPage } from '../../src/cli/report/page.js';
import { buildCharts } from '../../src/cli/report/report.js';
import { DAYS, FIGURES } from '../support/report-figures.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { CHROMIUM: executablePath = '/usr/bin/chromium', TRAMITA_TEST_UI: isAsked } = process.env;
const { TRAMITA_REPORT_PICTURES: pictures } = process.env;
const skipReason =
  isAsked !== '1' ? '`npm run test:ui`' : existsSync(executablePath) ? undefined : `no ${executablePath}`;

(skipReason === undefined ? describe : describe.skip)(
  `the report in a browser${skipReason === undefined ? '' : ` (${skipReason})`}`,
  () => {
    const folder = temporaryFolder('report');
    const file = join(folder, 'report.html');
    const requests: string[] = [];
    const errors: string[] = [];
    let browser: Browser;

    beforeAll(async () => {
      const charts = buildCharts(FIGURES, DAYS);
      const madeAt = '2026-04-01T12:00:00.000Z';
      writeFileSync(
        file,
        buildPage({ period: '2026-03-01 to 2026-03-31', madeAt, accounts: [{ account: 'default', charts }] }),
      );
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });

    afterAll(() => browser.close());

    it.each(['light', 'dark'] as const)(
      'shows every chart without overlaps in the %s colours, and requests nothing',
      async (colorScheme) => {
        const page = await open({ colorScheme, width: 1_100 });
        expect(await page.locator('svg').count()).toBe(7);
        expect(await page.locator('figure table').count()).toBe(7);
        const [ink, ground] = await page.evaluate<readonly string[]>(`(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return [color, backgroundColor];
    })()`);
        const redOf = (text = ''): number => Number(/\d+/.exec(text)?.[0]);
        expect(redOf(ink) > redOf(ground)).toBe(colorScheme === 'dark');
        expect(await overlaps(page)).toEqual([]);
        await picture(page, colorScheme);
        expect([requests, errors]).toEqual([[], []]);
      },
    );

    it('fits the screen of a phone', async () => {
      const page = await open({ colorScheme: 'light', width: 400 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    });

    it('prints in light colours', async () => {
      const page = await open({ colorScheme: 'dark', width: 760 });
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
      await picture(page, 'print');
      const pdf = await page.pdf({
        format: 'A4',
        margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' },
      });
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      if (pictures !== undefined) writeFileSync(join(pictures, 'report.pdf'), pdf);
    });

    async function open({
      colorScheme,
      width,
    }: {
      readonly colorScheme: 'light' | 'dark';
      readonly width: number;
    }): Promise<Page> {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) requests.push(request.url());
      });
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await page.goto(`file://${file}`);
      return page;
    }

    async function picture(page: Page, name: string): Promise<void> {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `report-${name}.png`), fullPage: true });
    }

    /** Labels that overlap in a chart, or lie outside of it. */
    function overlaps(page: Page): Promise<readonly string[]> {
      return page.evaluate(`[...document.querySelectorAll('svg')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
      const isCut = (box) => box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
      const meet = (one, other) =>
        one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
      return texts.flatMap(([said, box], place) => [
        ...(isCut(box) ? ['"' + said + '" is cut'] : []),
        ...texts
          .slice(place + 1)
          .filter(([, other]) => meet(box, other))
          .map(([other]) => '"' + said + '" lies on "' + other + '"'),
      ]);
    })`);
    }
  },
);
