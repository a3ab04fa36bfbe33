/** The checks of `tramita doctor`, run concurrently; each returns findings and none throws. */
import { X509Certificate } from 'node:crypto';
import {
  bridgeProblems,
  hasBridge,
  preflight,
  tlsProblems,
  workerProblems,
  type Config,
  type TemporalConnection,
} from '../../config/index.js';
import { DAY_MS, formatAmount, readBalance } from '../../contract/index.js';
import type { CliContext } from '../context.js';
import { withFreeReads } from '../with/with-free-reads.js';
import { checkDatabase } from './check-database.js';
import { checkFiles } from './check-files.js';
import { checkTemporal } from './check-temporal.js';
import { failed, ok, warning, type Finding } from './finding.js';

/** package.json `engines`: `require()` of ES modules without a flag. */
const OLDEST_NODE = [20, 20] as const;

export async function runDoctor(
  context: Pick<CliContext, 'err'>,
  { config, temporal }: { readonly config: Config; readonly temporal: TemporalConnection },
): Promise<readonly Finding[]> {
  // With TLS verification off any host could answer, so only Temporal is contacted: `checkConfig` reports the setting.
  const isVerified = tlsProblems(config).length === 0;
  const groups = await Promise.all([
    checkTemporal(temporal, config),
    ...(isVerified ? [checkDatabase(config, temporal), checkService(context, config), checkFiles(config)] : []),
  ]);
  return [
    ...checkNode(process.versions.node),
    ...checkConfig(config),
    ...certificateFindings(config.bridge.tls, Date.now()),
    ...groups.flat(),
  ];
}

/** Exported for tests. Pure. */
export function checkNode(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return [
    isOld ? failed('node', `${version} is too old; install ${OLDEST_NODE.join('.')} or newer`) : ok('node', version),
  ];
}

/**
 * The bridge often runs on another machine: what it lacks is a warning, which is left out if nothing of a bridge is configured.
 * Exported for tests. Pure.
 */
export function checkConfig(config: Config): readonly Finding[] {
  const worker = workerProblems(config);
  const bridge = hasBridge(config) ? bridgeProblems(config) : [];
  return [
    ...(worker.length === 0 ? [ok('config', 'a worker can start with it')] : []),
    ...worker.map((text) => failed('config', text)),
    ...bridge.map((text) => warning('config of the bridge', text)),
    ...preflight(config).map((text) => warning('config', text)),
  ];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;
/** A certificate that expires within this should have been renewed; a short-lived one within the last fifth of its lifetime. */
const ENDS_SOON_MS = 14 * DAY_MS;

/**
 * The bridge goes on serving a certificate and its chain when they have expired. An expired certificate further up in the chain
 * is only a warning: senders may have another path to the root. Exported for tests. Pure.
 */
export function certificateFindings(tls: Config['bridge']['tls'], nowMs: number): readonly Finding[] {
  const [first, ...more] = readCertificates(tls?.cert ?? '');
  if (first === undefined) return [];
  const about = 'certificate of the bridge';
  const fromMs = Math.max(...[first, ...more].map(({ validFrom }) => Date.parse(validFrom)));
  const untilMs = Math.min(...[first, ...more].map(({ validTo }) => Date.parse(validTo)));
  const day = (ms: number): string => new Date(ms).toISOString();
  const cure = 'renew it and restart the bridge, or no webhook arrives';
  if (fromMs > nowMs) return [failed(about, `it is valid from ${day(fromMs)} on; ${cure}`)];
  if (untilMs <= nowMs) {
    return Date.parse(first.validTo) <= nowMs
      ? [failed(about, `it has expired at ${day(untilMs)}; ${cure}`)]
      : [warning(about, `a certificate of its chain has expired at ${day(untilMs)}; ${cure}`)];
  }
  const text = `valid until ${day(untilMs)}`;
  const endsSoon = untilMs - nowMs <= Math.min(ENDS_SOON_MS, (untilMs - fromMs) / 5);
  return [endsSoon ? warning(about, `${text}; ${cure}`) : ok(about, text)];
}

/** Empty if one cannot be parsed: `checkConfig` reports that. */
function readCertificates(pem: string): readonly X509Certificate[] {
  try {
    return (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
  } catch {
    return [];
  }
}

function checkService(context: Pick<CliContext, 'err'>, config: Config): Promise<readonly Finding[]> {
  const names = Object.entries(config.accounts).flatMap(([name, { apiUrl, apiKey }]) =>
    apiUrl === undefined || apiKey === undefined ? [] : [name],
  );
  return withFreeReads(context, config, (read) =>
    Promise.all(
      names.map(async (name): Promise<Finding> => {
        const about = `service, account ${name}`;
        const available = await read(name, 'getAvailability');
        if (!available.ok) return failed(about, `not available: ${available.problem}`);
        const balance = await read(name, 'getBalance');
        if (!balance.ok) return failed(about, `the balance cannot be read: ${balance.problem}`);
        const credits = readBalance(balance.value)?.credits;
        if (credits === undefined) return warning(about, 'available, but the balance cannot be read');
        return ok(about, `available, balance ${formatAmount(credits)}`);
      }),
    ),
  );
}
