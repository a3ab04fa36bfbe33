/** Certificates for tests, made by openssl: authorities, servers at 127.0.0.1, clients. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority and returns the paths of its certificate and key. */
export function makeAuthority(folder: string, name: string): Pair {
  const pair = pathsOf(folder, name);
  openssl(['req', '-x509', ...CURVE, '-days', '2', '-subj', `/CN=${name}`, '-keyout', pair.key, '-out', pair.cert]);
  return pair;
}

/** Makes a certificate signed by the authority: for 127.0.0.1 and localhost, as server and as client. */
export function makePair(folder: string, name: string, authority: Pair): Pair {
  const pair = pathsOf(folder, name);
  const request = join(folder, `${name}.csr`);
  const extensions = join(folder, `${name}.ext`);
  openssl(['req', ...CURVE, '-subj', `/CN=${name}`, '-keyout', pair.key, '-out', request]);
  writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n');
  const signer = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial'];
  openssl(['x509', '-req', '-in', request, ...signer, '-days', '2', '-extfile', extensions, '-out', pair.cert]);
  return pair;
}

export const read = (path: string): Buffer => readFileSync(path);

function pathsOf(folder: string, name: string): Pair {
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
