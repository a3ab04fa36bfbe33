/**
 * The contract's readers read every answer of the sandbox, in every spelling, without loss: the same lists, numbers and
 * pages. Sandbox and readers were written independently, from the interface document.
 */
import {
  DEFAULT_GAPS,
  readBoard,
  readCase,
  readDocumentCases,
  readElectoralPublication,
  readGazettes,
  readLawyerCases,
  readMovements,
  readNoticeMonitors,
  readNotices,
  readPage,
  readPrecatorios,
  readPublication,
  readRadars,
  readReferenceList,
  readSearch,
  readSearchMeta,
  readSummary,
} from '../../src/contract/index.js';
import { GOOD, goodCalls, sendCall } from './support/calls.js';
import { closeSandboxes, start } from './support/client.js';

afterEach(closeSandboxes);

const READERS: Readonly<Record<string, (body: unknown) => unknown>> = {
  searchTerm: (body) => [readSearch(body)?.records.length, readSearchMeta(body)?.mode],
  searchLegacy: (body) => readSearch(body)?.records.length,
  listCasesByDocument: (body) => readDocumentCases(body)?.cases.map(({ record }) => record.cnj),
  getCase: (body) => [readCase(body)?.record.cnj, readCase(body)?.sources.length],
  listMovements: (body) => readMovements(body)?.records.map(({ date }) => date),
  getSummary: (body) => readSummary(body)?.text,
  listLawyerCases: (body) => {
    const read = readLawyerCases(body, DEFAULT_GAPS);
    return [read?.records.map(({ cnj, classification }) => [cnj, classification]), read?.coverage];
  },
  listLawyerGazettes: (body) => readGazettes(body)?.records.length,
  listNoticeMonitors: (body) => readNoticeMonitors(body)?.monitors.map(({ oab }) => oab),
  createNoticeMonitor: (body) => readNoticeMonitors(body)?.monitors.map(({ oab }) => oab),
  listNotices: (body) => readNotices(body)?.records.map(({ id }) => id),
  getPublication: (body) => readPublication(body)?.id,
  listRadars: (body) => readRadars(body)?.monitors.length,
  listPrecatorios: (body) => [readPrecatorios(body)?.mode, readPrecatorios(body)?.records.length],
  getElectoralPublication: (body) => readElectoralPublication(body)?.id,
  searchElectoralBoard: (body) => readBoard(body)?.records.length,
  listAdministrativeBodies: (body) => readReferenceList(body)?.records.length,
  listCourtSystems: (body) => readReferenceList(body)?.records.length,
};

test('the readers find the same records in the dialects as-observed, as-spec and mixed', async () => {
  const found: Record<string, unknown>[] = [];
  for (const records of ['as-observed', 'as-spec', 'mixed'] as const) {
    const sandbox = await start({ ...GOOD, dialect: { records } });
    const results: Record<string, unknown> = {};
    for (const call of await goodCalls(sandbox)) {
      const read = READERS[call.operation];
      if (read === undefined) continue;
      const { json } = await sendCall(sandbox, call);
      results[call.operation] = read(json);
      const page = readPage(json, { target: call.path, baseUrl: sandbox.url, page: 1, listed: 1 });
      expect([call.operation, page.next.kind]).not.toEqual([call.operation, 'refused']);
    }
    expect(Object.keys(results).sort()).toEqual(Object.keys(READERS).sort());
    found.push(results);
  }
  const [observed, asSpec, mixed] = found;
  expect(JSON.stringify(observed)).not.toMatch(/"\w+":(null|\[\])/);
  expect(Object.values(observed!).filter((value) => value === undefined || value === null)).toEqual([]);
  expect(asSpec).toEqual(observed);
  expect(mixed).toEqual(observed);
});
