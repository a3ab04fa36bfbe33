/** Messages about files: of the doctor, of the ledger check, and in the `error` of a document. */
import { fileFindings } from '../../src/cli/check/findings.js';
import { problemText } from '../../src/cli/doctor/check-files.js';
import type { StorePlace } from '../../src/files/index.js';
import { fileProblem } from '../../src/http/file-completeness.js';

const S3: StorePlace = { kind: 's3', bucket: 'court-files', prefix: '', pathStyle: false };
const DIRECTORY: StorePlace = { kind: 'directory', path: '/mnt/files' };

test.each([
  [S3, 'ask', 'RegionMissing', 'cannot be asked for a file (RegionMissing); set TRAMITA_FILES_REGION, or AWS_REGION'],
  [S3, 'ask', 'CredentialsProviderError', /give the process credentials of AWS/],
  [S3, 'ask', '403 HTTP 403', /s3:ListBucket/],
  [S3, 'write', 'SignatureDoesNotMatch HTTP 403', /credentials are not those of this storage/],
  [S3, 'write', 'NoSuchBucket HTTP 404', /create the bucket/],
  [S3, 'read', 'AccessDenied HTTP 403', /^cannot be read .* allow s3:GetObject/],
  [S3, 'ask', 'PermanentRedirect HTTP 301', /another region/],
  [S3, 'ask', 'ECONNREFUSED', /check TRAMITA_FILES_ENDPOINT, TRAMITA_FILES_REGION/],
  [DIRECTORY, 'ask', 'ENOENT', /mount it, or make the directory/],
  [DIRECTORY, 'write', 'EACCES', /let the user of the worker write there/],
  [DIRECTORY, 'write', 'ENOSPC', /set TRAMITA_FILES to a directory that can be written/],
] as const)('problemText explains for %j the failure of %s with %s', (place, step, code, expected) => {
  const text = problemText(place, { step, code });
  if (typeof expected === 'string') expect(text).toBe(expected);
  else expect(text).toMatch(expected);
});

test('fileFindings asks for a person only if missing files are missing for every machine', () => {
  const lost = { lostFiles: ['row-1', 'row-2'], lostDocuments: ['d1', 'd2', 'd3', 'd4'] };
  expect(fileFindings(lost, { filesDir: 'x', fileStore: S3 })).toEqual([
    { act: true, text: '2 paid files gone from the file store: row-1, row-2' },
    { act: true, text: '4 files of documents gone from the file store: d1, d2, d3' },
  ]);
  expect(fileFindings({ lostFiles: ['row-1'], lostDocuments: [] }, { filesDir: '/var/x' })).toEqual([
    { act: false, text: '1 paid files not in /var/x of this machine; another worker may have them: row-1' },
  ]);
});

describe('a downloaded document', () => {
  interface Claim {
    readonly contentType?: string;
    readonly extension?: string;
    readonly framed?: boolean;
  }
  const problem = (text: string, claim: Claim = {}) => {
    const bytes = Buffer.from(text);
    const { contentType, extension, framed = true } = claim;
    const edges = { first: bytes, last: bytes, bytes: bytes.length };
    return fileProblem(edges, { contentType, extension, framed, contentLength: undefined });
  };
  const PDF = '%PDF-1.7 x %%EOF';
  const PAGE = '<!DOCTYPE html><html><body>Sessão expirada</body></html>';

  test.each([
    [PAGE, {}],
    [PAGE, { contentType: 'application/pdf' }],
    [PAGE, { contentType: 'text/html', extension: 'PDF' }],
    [`\uFEFF \n<!-- gateway --><HTML lang="pt">`, { contentType: 'application/octet-stream' }],
    ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">', {}],
  ])('%j, declared as %j, is an HTML page', (text, claim) => {
    expect(problem(text, claim)).toBe('an HTML page came instead of the document');
  });

  test.each([
    ['{"error":{"code":"LINK_EXPIRED"}}', { contentType: 'application/json;charset=utf-8' }],
    ['{"title":"Gone"}', { contentType: 'application/problem+json' }],
    ['\n{"message":"x"}', { contentType: 'application/json', extension: 'DOC' }],
    ['<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>', { contentType: 'application/xml' }],
  ])('%j, declared as %j, is an error message of a server', (text, claim) => {
    expect(problem(text, claim)).toBe('an error message came instead of the document');
  });

  test.each([
    ['{"a":1}', { contentType: 'application/json', extension: 'json' }],
    ['{\\rtf1 x}', { contentType: 'application/rtf' }],
    [PDF, { contentType: 'application/json' }],
    [PDF, { contentType: 'text/html' }],
    [PDF, { extension: 'PDF' }],
    [PAGE, { contentType: 'text/html', extension: 'HTML' }],
    [PAGE, { extension: '.htm' }],
    ['<?xml version="1.0"?><nota/>', { contentType: 'text/xml' }],
    ['plain text about <html>', {}],
    [PDF, { framed: false }],
  ])('%j, declared as %j, is accepted', (text, claim) => {
    expect(problem(text, claim)).toBeUndefined();
  });

  test('is checked in linear time, however many comments it begins with', () => {
    expect(problem('<!---->'.repeat(140), {})).toBeUndefined();
  });

  test('without a declared length is complete only if it is a PDF with its end mark', () => {
    expect(problem('%PDF-1.7 x', { framed: false })).toBe('the PDF is truncated: its end mark is missing');
    expect(problem('plain', { framed: false })).toBe('the answer gives no length, so its end cannot be known');
  });

  test('has to be a PDF if its extension or content type says so', () => {
    expect(problem('plain', { extension: 'PDF' })).toBe('the file is declared as a PDF, but is not one');
    expect(problem('plain', { contentType: 'application/pdf' })).toBe('the file is declared as a PDF, but is not one');
    expect(problem('plain', { extension: 'TXT' })).toBeUndefined();
  });
});
