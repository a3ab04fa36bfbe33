/**
 * Recorded shapes of answers, from the interface and from observation. Each is read by its reader,
 * accepted by the schema of its operation, and returned whole.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ANSWER_SCHEMAS,
  DEFAULT_GAPS,
  readBoard,
  readCase,
  readCaseMonitors,
  readDocumentCases,
  readDocuments,
  readElectoralPublication,
  readGazettes,
  readLawyerCases,
  readMovements,
  readNoticeMonitors,
  readNotices,
  readPrecatorios,
  readPublication,
  readRadars,
  readReferenceList,
  readSearch,
  readSummary,
  type OperationId,
} from '../../src/contract/index.js';

const READERS: Readonly<Record<string, (body: unknown) => unknown>> = {
  board: readBoard,
  case: readCase,
  caseMonitors: readCaseMonitors,
  documentCases: readDocumentCases,
  documents: readDocuments,
  electoralPublication: readElectoralPublication,
  gazettes: readGazettes,
  lawyerCases: (body) => readLawyerCases(body, DEFAULT_GAPS),
  movements: readMovements,
  noticeMonitors: readNoticeMonitors,
  notices: readNotices,
  precatorios: readPrecatorios,
  publication: readPublication,
  radars: readRadars,
  reference: readReferenceList,
  search: readSearch,
  summary: readSummary,
};

interface Fixture {
  readonly operation: OperationId;
  readonly reader: string;
  readonly shapes: Readonly<Record<string, { readonly body: unknown; readonly expected: object }>>;
}

const FOLDER = join(__dirname, 'fixtures');
const SHAPES = readdirSync(FOLDER).flatMap((file) => {
  const fixture = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Fixture;
  return Object.entries(fixture.shapes).map(([column, shape]) => ({ file, column, ...fixture, ...shape }));
});

/** `data` of every record in a reading, at any depth. */
function dataOf(reading: unknown): unknown[] {
  if (Array.isArray(reading)) return reading.flatMap(dataOf);
  if (typeof reading !== 'object' || reading === null) return [];
  if ('drift' in reading && 'data' in reading && 'sensitivity' in reading) return [(reading as { data: unknown }).data];
  return Object.values(reading).flatMap(dataOf);
}

/** Every object and list element in `body`, as text: what a record's `data` may be. */
function partsOf(body: unknown): string[] {
  const own = [JSON.stringify(body)];
  return typeof body === 'object' && body !== null ? [...own, ...Object.values(body).flatMap(partsOf)] : own;
}

describe.each(SHAPES)('the shape $column of $file', ({ body, expected, reader, operation }) => {
  it('is read as expected', () => {
    expect(READERS[reader]?.(body)).toMatchObject(expected);
  });

  it('keeps every record unchanged', () => {
    const parts = new Set(partsOf(body));
    const records = dataOf(READERS[reader]?.(body));
    expect(records.length).toBeGreaterThan(0);
    for (const data of records) expect(parts).toContain(JSON.stringify(data));
  });

  it('is accepted by the schema of its operation, unknown members included', () => {
    expect(ANSWER_SCHEMAS[operation]?.parse(body)).toEqual(body);
  });

  it('loses no record if any member of a record is odd', () => {
    const records = dataOf(READERS[reader]?.(body));
    const known = new Set(records.map((data) => JSON.stringify(data)));
    let broken = 0;
    for (const odd of [null, 5, '\u0000', [], {}, true, 'x'.repeat(5_000)]) {
      for (const copy of breakings(body, odd, known)) {
        broken += 1;
        // There may be more records: if one of two equal lists is damaged, both count.
        expect(dataOf(READERS[reader]?.(copy)).length).toBeGreaterThanOrEqual(records.length);
      }
    }
    expect(broken).toBeGreaterThan(0);
  });

  it('never makes its reader throw, whichever member is odd', () => {
    for (const odd of [null, 5, 'x', [], [null, [], 7], { nome: {} }]) {
      for (const copy of breakings(body, odd)) READERS[reader]?.(copy);
    }
  });
});

/**
 * Copies of `body`, each with one member replaced. With `records`, only members of these records are replaced, but not the
 * sources of a case, which are records too.
 */
function* breakings(body: unknown, odd: unknown, records?: ReadonlySet<string>): Generator {
  const walk = function* (node: unknown, inside: boolean, rebuild: (node: unknown) => unknown): Generator {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) {
        yield* walk(item, inside, (inner) => rebuild(node.map((other: unknown, at) => (at === index ? inner : other))));
      }
      return;
    }
    const here = inside || records === undefined || records.has(JSON.stringify(node));
    for (const [name, member] of Object.entries(node)) {
      if (records !== undefined && name === 'fontes') continue;
      if (here) yield rebuild({ ...node, [name]: odd });
      yield* walk(member, here, (inner) => rebuild({ ...node, [name]: inner }));
    }
  };
  yield* walk(body, false, (whole) => whole);
}

it('every reader has a recorded shape', () => {
  expect(new Set(SHAPES.map(({ reader }) => reader))).toEqual(new Set(Object.keys(READERS)));
});
