/** Checks this machine's directory and the configured file store of documents by real writes. */
import type { Config } from '../../config/index.js';
import { createFileStore, probeOwnDir, probeStore, type StorePlace, type StoreProbe } from '../../files/index.js';
import { failed, ok, warning, type Finding } from './finding.js';

export async function checkFiles({
  filesDir,
  fileStore,
}: Pick<Config, 'filesDir' | 'fileStore'>): Promise<readonly Finding[]> {
  const [own, store] = await Promise.all([checkOwn(filesDir), fileStore === undefined ? [] : checkStore(fileStore)]);
  return [own, ...store];
}

async function checkOwn(filesDir: string): Promise<Finding> {
  const code = await probeOwnDir(filesDir);
  return code === undefined
    ? ok('files', `${filesDir} is writable`)
    : failed('files', `${filesDir} is not writable (${code}); set TRAMITA_FILES_DIR to a folder of the worker`);
}

async function checkStore(place: StorePlace): Promise<readonly Finding[]> {
  const about = 'file store';
  const name =
    place.kind === 's3' ? `s3://${place.bucket}${place.prefix === '' ? '' : `/${place.prefix}`}` : place.path;
  const { problem, leaves } = await probeStore(createFileStore(place));
  if (problem !== undefined) return [failed(about, `${name} ${problemText(place, problem)}`)];
  return [
    ok(about, `${name} can be written and read`),
    ...(leaves ? [warning(about, `${name} does not let files be deleted; the probe stays`)] : []),
  ];
}

const STEPS = { ask: 'cannot be asked for a file', write: 'cannot be written', read: 'cannot be read' } as const;

/** Exported for tests. Pure. */
export function problemText(place: StorePlace, { step, code }: NonNullable<StoreProbe['problem']>): string {
  return `${STEPS[step]} (${code}); ${place.kind === 's3' ? cureOfS3(code) : cureOfDirectory(code)}`;
}

function cureOfDirectory(code: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'mount it, or make the directory that TRAMITA_FILES names';
  if (code === 'EACCES' || code === 'EROFS')
    return 'let the user of the worker write there, or set TRAMITA_FILES to another place';
  return 'set TRAMITA_FILES to a directory that can be written';
}

const CURES: readonly (readonly [RegExp, string])[] = [
  [/^RegionMissing/, 'set TRAMITA_FILES_REGION, or AWS_REGION'],
  [
    /Credential|^Token/,
    'give the process credentials of AWS (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role)',
  ],
  [
    /^InvalidAccessKeyId|^SignatureDoesNotMatch/,
    'the credentials are not those of this storage; correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ],
  [/^NoSuchBucket/, 'create the bucket, or correct it in TRAMITA_FILES'],
  [/^PermanentRedirect|HTTP 301/, 'the bucket is in another region; set TRAMITA_FILES_REGION'],
  [/HTTP 403/, 'allow s3:GetObject, s3:PutObject and, for the bucket, s3:ListBucket'],
];

function cureOfS3(code: string): string {
  return (
    CURES.find(([pattern]) => pattern.test(code))?.[1] ??
    'check TRAMITA_FILES_ENDPOINT, TRAMITA_FILES_REGION and TRAMITA_FILES_PATH_STYLE, and the network'
  );
}
