/**
 * Signed links of public documents: path and query signed with HMAC-SHA-256, with an expiry. The signature covers the
 * target byte for byte, including an encoded file name, so a client that re-encodes the URL is refused. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveBytes } from '../derive.js';

export interface LinkTarget {
  readonly cnj: string;
  readonly number: number;
}

export type LinkVerdict =
  | { readonly ok: true; readonly target: LinkTarget }
  | { readonly ok: false; readonly code: 'LINK_INVALID' | 'LINK_EXPIRED' };

const SIGNATURE = /^(.*)&signature=([0-9a-f]{64})$/;
const TARGET = /^\/documentos\/(\d{20})\/(\d{1,6})\?expires=(\d{1,12})&/;

/** The target of the link, to be appended to the documents origin. */
export function buildLinkPath(seed: string, target: LinkTarget, expiresAtMs: number): string {
  const name = encodeURIComponent(`attachment; filename="documento ${target.number}.pdf"`);
  const path = `/documentos/${target.cnj}/${target.number}?expires=${Math.floor(expiresAtMs / 1_000)}&disposition=${name}`;
  return `${path}&signature=${sign(seed, path).toString('hex')}`;
}

/** `path` exactly as it came over the wire. */
export function verifyLinkPath(seed: string, path: string, nowMs: number): LinkVerdict {
  const [, signed = '', signature = ''] = SIGNATURE.exec(path) ?? [];
  const parts = TARGET.exec(signed);
  if (parts === null || !timingSafeEqual(sign(seed, signed), Buffer.from(signature, 'hex'))) {
    return { ok: false, code: 'LINK_INVALID' };
  }
  const [, cnj = '', number = '', expires = ''] = parts;
  if (nowMs > Number(expires) * 1_000) return { ok: false, code: 'LINK_EXPIRED' };
  return { ok: true, target: { cnj, number: Number(number) } };
}

function sign(seed: string, path: string): Buffer {
  return createHmac('sha256', deriveBytes(seed, 'link key')).update(path).digest();
}
