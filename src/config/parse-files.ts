/**
 * `TRAMITA_FILES` and the variables that belong to it: where bought files are kept. S3 credentials are no setting of ours, so
 * an address that contains them is refused and never shown. Pure.
 */
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StorePlace } from '../files/index.js';
import { present } from '../contract/values/index.js';
import type { Parsed } from '../protocol/index.js';
import { ENV } from './env-names.js';
import type { EnvReader } from './env-reader.js';
import { bad, good, parseLike, parseOneOf, parsePath, shown } from './parse-values.js';

type S3Address = Pick<Extract<StorePlace, { readonly kind: 's3' }>, 'kind' | 'bucket' | 'prefix'>;
type FilesAddress = S3Address | Extract<StorePlace, { readonly kind: 'directory' }>;

/** Amazon's rules for bucket names. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters that every storage accepts in a key without encoding; no `.` or `..` segments. */
const PREFIX = /^(?!\.{1,2}(\/|$))[\w.=-]+(\/(?!\.{1,2}(\/|$))[\w.=-]+)*$/;
const EXPECTED = 's3://bucket/prefix, or the absolute path of a directory that all workers see';
const AWS_CREDENTIALS = 'credentials belong in the environment or the configuration files of AWS';

function parseFilesAddress(text: string): Parsed<FilesAddress> {
  if (/^s3:/i.test(text)) return parseS3(text);
  if (/^file:/i.test(text)) return parseFileUrl(text);
  const path = parsePath(text);
  if (!path.ok) return path;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return bad(`a URL of scheme ${text.slice(0, text.indexOf(':') + 1)}`, EXPECTED);
  return isAbsolute(text) ? good({ kind: 'directory', path: text }) : bad(shown(text), EXPECTED);
}

function parseS3(text: string): Parsed<S3Address> {
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]*)(\/.*)?$/.exec(text) ?? [];
  if (/[@?#]/.test(text))
    return bad('an s3 address with a user, a query or a fragment in it', `${EXPECTED}; ${AWS_CREDENTIALS}`);
  const prefix = rest.replace(/^\/+|\/+$/g, '');
  if (!BUCKET.test(bucket) || (prefix !== '' && !PREFIX.test(prefix))) {
    return bad(
      shown(text),
      's3://bucket/prefix: a bucket of 3 to 63 of a-z 0-9 . -, a prefix of letters, digits and . _ = - /',
    );
  }
  return good({ kind: 's3', bucket, prefix });
}

function parseFileUrl(text: string): Parsed<FilesAddress> {
  try {
    return good({ kind: 'directory', path: fileURLToPath(text) });
  } catch {
    return bad(shown(text), EXPECTED);
  }
}

/** An origin. Plain http is allowed, for storage in a private network; `preflight` warns about it. */
function parseEndpoint(text: string): Parsed<string> {
  const expected = 'an origin like https://s3.example.com, without user, path, query and fragment';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    return bad('a text that is not a web URL', expected);
  if (url.username !== '' || url.password !== '')
    return bad('a URL with a user or password in it', `${expected}; ${AWS_CREDENTIALS}`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return bad(`${url.origin} with more after it`, expected);
  return good(url.origin);
}

const parseRegion = parseLike(/^[a-z0-9-]{1,64}$/i, 'the name of a region, like sa-east-1');

/** Undefined if no store is set, or if the setting is unusable: then a problem is added. */
export function readFileStore(reader: EnvReader, problems: string[]): StorePlace | undefined {
  const address = reader.read(ENV.FILES, parseFilesAddress);
  const endpoint = reader.read(ENV.FILES_ENDPOINT, parseEndpoint);
  const region = reader.read(ENV.FILES_REGION, parseRegion);
  const pathStyle = reader.read(ENV.FILES_PATH_STYLE, parseOneOf(['on', 'off']));
  if (address?.kind !== 's3') {
    // An unusable address has been reported already.
    const isUnusable = address === undefined && reader.isSet(ENV.FILES);
    const forS3 = [ENV.FILES_ENDPOINT, ENV.FILES_REGION, ENV.FILES_PATH_STYLE].filter(reader.isSet);
    for (const { name } of isUnusable ? [] : forS3) {
      problems.push(`${name} is set, but ${ENV.FILES.name} names no S3 store; expected s3://bucket/prefix there`);
    }
    return address;
  }
  return {
    ...address,
    ...present({ endpoint, region }),
    // Most storages other than AWS have no host name for each bucket.
    pathStyle: pathStyle === undefined ? endpoint !== undefined : pathStyle === 'on',
  };
}
