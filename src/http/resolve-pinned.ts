/**
 * Resolves a host once and checks every address. The connection gets these addresses through its `lookup`, so that it
 * cannot use others than the checked ones (DNS rebinding).
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { describeError } from './redact.js';
import type { SignedLink } from './signed-link.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export type Pinned =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  /** `passing`: transient, the lookup failed and may succeed the next time. */
  | { readonly ok: false; readonly problem: string; readonly passing?: true };

/** The system's resolver, all addresses in its order. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** One address that is not public refuses the whole link, unless its origin is trusted. Never throws. */
export async function resolvePinned(link: SignedLink, resolve: Resolve): Promise<Pinned> {
  const literal = isIP(link.host);
  let addresses: readonly Address[];
  try {
    addresses = literal === 0 ? await resolve(link.host) : [{ address: link.host, family: literal }];
  } catch (error) {
    return { ok: false, problem: `the host cannot be resolved (${describeError(error, 'DNS')})`, passing: true };
  }
  if (addresses.length === 0) return { ok: false, problem: 'the host has no address' };
  if (!link.trusted && !addresses.every(({ address }) => isPublicAddress(address))) {
    return { ok: false, problem: 'the host resolves to an address that is not public' };
  }
  return { ok: true, addresses };
}
