/**
 * Lets the narrow roles of bridge and codec server log in. The migrations create them without a login, because a password does
 * not belong in a migration; this sets it from the program's own URL. If the URL names another user, its administrator sets
 * the login. The server may log statements, failed ones by default, so the SCRAM verifier is sent instead of the password.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { codeOfError } from '../contract/values/index.js';

export const BRIDGE_ROLE = 'tramita_bridge';
export const CODEC_ROLE = 'tramita_codec';

const TRIES = 5;
/** As PostgreSQL makes it (RFC 7677; `scram_iterations`). */
const SCRAM = { iterations: 4_096, saltBytes: 16, keyBytes: 32 } as const;
/** Two databases of one cluster that alter the role at the same moment: "tuple concurrently updated". */
const CONCURRENT_UPDATE = 'XX000';

export async function openLogin(
  client: Client,
  { role, url }: { readonly role: typeof BRIDGE_ROLE | typeof CODEC_ROLE; readonly url: string },
): Promise<void> {
  const { user, password } = credentialsOf(url, role);
  if (user !== role) return;
  const secret = password === '' ? '' : ` password ${client.escapeLiteral(scramVerifier(password))}`;
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      await client.query(`alter role ${role} login${secret}`);
      return;
    } catch (error) {
      const code = codeOfError(error);
      if (code === CONCURRENT_UPDATE && tryNumber < TRIES) continue;
      // The error quotes the statement, and with it the hash of the password: only its code is passed on, not even as a cause.
      // eslint-disable-next-line preserve-caught-error
      throw new Error(`tramita: the role ${role} could not be given its login (SQLSTATE ${code ?? 'none'})`);
    }
  }
}

function credentialsOf(url: string, role: string): { readonly user: string; readonly password: string } {
  try {
    const parsed = new URL(url);
    return { user: decodeURIComponent(parsed.username), password: decodeURIComponent(parsed.password) };
  } catch {
    throw new Error(`tramita: the database URL for ${role} is not a URL; expected postgres://${role}:…@host/name`);
  }
}

/** What the server keeps of a password: enough to check it, not to log in with (RFC 5802, section 3). */
function scramVerifier(password: string): string {
  const { iterations, saltBytes, keyBytes } = SCRAM;
  const salt = randomBytes(saltBytes);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, keyBytes, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest();
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  return `SCRAM-SHA-256$${iterations}:${base64(salt)}$${base64(stored)}:${base64(keyOf('Server Key'))}`;
}
