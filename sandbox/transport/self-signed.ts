/**
 * A self-signed certificate for 127.0.0.1 and localhost, made at every start: P-256, valid from one day ago until a
 * year and a day from now. X.509 needs so little here that a few lines of DER do; no package and no key file. Tests
 * trust its PEM.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

export function createCertificate(nowMs: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = seq(set(seq(oid('550403'), utf8('tramita sandbox'))));
  const algorithm = seq(oid('2a8648ce3d040302'));
  const alternatives = seq(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = seq(
    seq(oid('551d11'), der(0x04, alternatives)),
    seq(oid('551d13'), der(0x01, Buffer.from([0xff])), der(0x04, seq(der(0x01, Buffer.from([0xff]))))),
  );
  const body = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    algorithm,
    name,
    seq(time(nowMs - DAY_MS), time(nowMs + 366 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = seq(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
    .trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function seq(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return der(0x31, part);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

/** GeneralizedTime, which also covers years after 2049. */
function time(timeMs: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(timeMs).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}
