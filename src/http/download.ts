/**
 * Downloads one file from a signed link to this machine's disk, under its hash. Its own client on `node:https` has no key
 * or cookie to leak, sends the path byte for byte, and connects only to addresses that it has checked. The link never
 * appears in a result. When a link has expired, listing again is the flow's decision, because it costs money.
 */
import { present } from '../contract/index.js';
import { Discarded, isDiscarded, storeByHash, untilAborted, type Landing, type StoredFile } from '../files/index.js';
import { request as startHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as startHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { startDeadlines, type DeadlineLimits } from './deadlines.js';
import { fileProblem, isCutShort, isFramed } from './file-completeness.js';
import { spaceProblem, spaceProblemAfter } from './free-space.js';
import { isRefused, openBody } from './read-body.js';
import { describeError } from './redact.js';
import { resolveBySystem, resolvePinned, type Address, type Resolve } from './resolve-pinned.js';
import { parseSignedLink, resolveRedirect, type SignedLink } from './signed-link.js';
import { USER_AGENT } from './user-agent.js';

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What storages answer to an expired link. */
const EXPIRED = new Set([401, 403, 404, 410]);
/** Google Cloud Storage, and S3 with temporary credentials, answer 400 instead; only the body then says that it has expired. */
const MAYBE_EXPIRED = 400;
/** Of an error message, at most so much is read. */
const MESSAGE_BYTES = 4_000;
/** Transient, like every 5xx: not ready yet, too slow, too early, too many. */
const PASSING = new Set([202, 408, 425, 429]);

export interface DownloadLimits extends DeadlineLimits {
  readonly maxBytes: number;
}

/** First byte 35 s, idle 15 s, total 10 min, 200 MB. */
const DEFAULT_DOWNLOAD_LIMITS: DownloadLimits = {
  totalMs: 600_000,
  firstByteMs: 35_000,
  idleMs: 15_000,
  maxBytes: 200_000_000,
};

export interface DownloadRequest extends Landing {
  readonly url: string;
  /** File extension as the service writes it: `PDF`. */
  readonly extension?: string;
  /** Origins that may be plain http, on other ports and private (TRAMITA_DOWNLOAD_HOSTS). */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<DownloadLimits>;
  readonly signal?: AbortSignal;
  readonly resolve?: Resolve;
  /** PEM of certificate authorities to trust instead of the system's. */
  readonly ca?: string;
}

export type DownloadOutcome =
  | ({ readonly kind: 'stored' } & StoredFile)
  /** The link no longer opens: 401, 403, 404 or 410, or a 400 that says so. */
  | { readonly kind: 'expired'; readonly status: number }
  /** The disk is full, cannot be written, or has too little room for this file. Says nothing about the file. */
  | { readonly kind: 'no_room'; readonly reason: string }
  /** `passing`: transient, the same link may work at another attempt. */
  | { readonly kind: 'failed'; readonly reason: string; readonly passing?: true };

/**
 * Never throws for network or disk reasons; identical files are stored once. Opens the link only if the disk has room, and
 * stops before the disk is full.
 */
export async function downloadFile(job: DownloadRequest): Promise<DownloadOutcome> {
  const limits = { ...DEFAULT_DOWNLOAD_LIMITS, ...job.limits };
  const stop = new AbortController();
  let stopped: DownloadOutcome | undefined;
  const stopWith = (outcome: DownloadOutcome): void => {
    stopped ??= outcome;
    stop.abort();
  };
  const deadlines = startDeadlines(limits, (reason, isSilent) => stopWith(isSilent ? passing(reason) : failed(reason)));
  const onAbort = (): void => stopWith(failed('cancelled'));
  job.signal?.addEventListener('abort', onAbort, { once: true });
  if (job.signal?.aborted === true) onAbort();
  try {
    const full = await spaceProblem(job.directory);
    if (full !== undefined) throw new NoRoom(full);
    return await followRedirects(job, { limits, signal: stop.signal, onBytes: () => deadlines.activity() });
  } catch (error) {
    if (stopped !== undefined) return stopped;
    if (error instanceof NoRoom) return { kind: 'no_room', reason: error.reason };
    if (isDiscarded(error)) return failed(error.reason);
    const full = await spaceProblemAfter(error, job.directory);
    return full === undefined
      ? passing(`the download failed: ${describeError(error)}`)
      : { kind: 'no_room', reason: full };
  } finally {
    deadlines.clear();
    job.signal?.removeEventListener('abort', onAbort);
  }
}

interface Context {
  readonly limits: DownloadLimits;
  readonly signal: AbortSignal;
  readonly onBytes: () => void;
}

async function followRedirects(job: DownloadRequest, context: Context): Promise<DownloadOutcome> {
  let url = job.url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const parsed = parseSignedLink(url, job.allowedOrigins);
    if (!parsed.ok) return failed(hop === 0 ? parsed.problem : `a redirect was refused: ${parsed.problem}`);
    const pinned = await untilAborted(resolvePinned(parsed.link, job.resolve ?? resolveBySystem), context.signal);
    if (!pinned.ok) return { kind: 'failed', reason: pinned.problem, ...present({ passing: pinned.passing }) };
    const answer = await sendGet(parsed.link, { addresses: pinned.addresses, ca: job.ca, signal: context.signal });
    const status = answer.statusCode ?? 0;
    if (status === 200) return store(job, answer, context);
    const isExpired = EXPIRED.has(status) || (status === MAYBE_EXPIRED && (await saysExpired(answer)));
    answer.destroy();
    if (isExpired) return { kind: 'expired', status };
    if (status >= 500 || PASSING.has(status)) return passing(`HTTP ${status}`);
    if (!REDIRECTS.has(status)) return failed(`HTTP ${status}`);
    const next = resolveRedirect(parsed.link, answer.headers.location ?? '');
    if (next === undefined) return failed('a redirect without a usable location');
    url = next;
  }
  return failed(`more than ${MAX_REDIRECTS} redirects`);
}

/** What of the message has come decides. */
async function saysExpired(answer: IncomingMessage): Promise<boolean> {
  let message = '';
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      message += chunk.toString('latin1');
      if (message.length >= MESSAGE_BYTES) break;
    }
  } catch {
    // a cut message is as good as a short one
  }
  return /expired/i.test(message.slice(0, MESSAGE_BYTES));
}

async function store(job: DownloadRequest, answer: IncomingMessage, context: Context): Promise<DownloadOutcome> {
  const { 'content-length': contentLength, 'content-type': contentType, 'content-encoding': encoding } = answer.headers;
  const refuse = (reason: string): DownloadOutcome => {
    answer.destroy();
    return failed(reason);
  };
  if (Number(contentLength ?? 0) > context.limits.maxBytes)
    return refuse(`the file is larger than ${context.limits.maxBytes} bytes`);
  const full = await spaceProblem(job.directory, Number(contentLength ?? 0));
  if (full !== undefined) {
    answer.destroy();
    throw new NoRoom(full);
  }
  // A storage may keep files encoded, and serves them so whatever is asked for. Their length is not that of the file.
  const isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity';
  const length = isEncoded ? undefined : contentLength;
  const bytes: AsyncIterable<Buffer> = isEncoded ? openBody(answer, () => undefined) : answer;
  let isCut: boolean | undefined;
  try {
    const stored = await storeByHash(job, withinLimits(bytes, { ...context, directory: job.directory }), (edges) => {
      isCut = !answer.complete || isCutShort(edges, length);
      const claim = { contentType, contentLength: length, framed: isFramed(answer.headers), extension: job.extension };
      return answer.complete ? fileProblem(edges, claim) : 'the file is truncated';
    });
    return { kind: 'stored', ...stored };
  } catch (error) {
    if (isCut && isDiscarded(error)) return passing(error.reason);
    throw isRefused(error) && answer.errored === null ? new Discarded(error.failure.reason) : error;
  }
}

/** A download without a length, or one of many at once, looks for room again after so many bytes. */
const LOOK_EVERY_BYTES = 16_000_000;

async function* withinLimits(
  bytes: AsyncIterable<Buffer>,
  { limits, onBytes, directory }: Context & Pick<DownloadRequest, 'directory'>,
): AsyncGenerator<Buffer> {
  let total = 0;
  let nextLook = LOOK_EVERY_BYTES;
  for await (const chunk of bytes) {
    onBytes();
    total += chunk.length;
    if (total > limits.maxBytes) throw new Discarded(`the file is larger than ${limits.maxBytes} bytes`);
    if (total >= nextLook) {
      nextLook = total + LOOK_EVERY_BYTES;
      const full = await spaceProblem(directory);
      if (full !== undefined) throw new NoRoom(full);
    }
    yield chunk;
  }
}

/** The disk takes no file, or not this one. */
class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly reason: string;
  constructor(reason: string) {
    super(`tramita: ${reason}`);
    this.reason = reason;
  }
}

interface GetOptions {
  readonly addresses: readonly Address[];
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

function sendGet(link: SignedLink, { addresses, ca, signal }: GetOptions): Promise<IncomingMessage> {
  const common = {
    method: 'GET',
    host: link.host,
    port: link.port,
    path: link.path,
    agent: false as const,
    lookup: pinTo(addresses),
    signal,
    headers: { host: link.hostHeader, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': USER_AGENT },
  };
  return new Promise((resolve, reject) => {
    const clientRequest: ClientRequest = link.secure
      ? startHttps({
          ...common,
          minVersion: 'TLSv1.2',
          // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise switch it off.
          rejectUnauthorized: true,
          ...(isIP(link.host) === 0 ? { servername: link.host } : {}),
          ...present({ ca }),
        })
      : startHttp(common);
    clientRequest.once('response', resolve);
    clientRequest.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Discarded('HTTP 101'));
    });
    clientRequest.on('error', reject);
    clientRequest.end();
  });
}

/** A DNS lookup that returns only the addresses that were checked. */
function pinTo(addresses: readonly Address[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family ?? 0);
  };
}

function failed(reason: string): DownloadOutcome {
  return { kind: 'failed', reason };
}

function passing(reason: string): DownloadOutcome {
  return { kind: 'failed', reason, passing: true };
}
