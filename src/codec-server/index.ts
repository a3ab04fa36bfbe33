/**
 * Door of the codec server: people with a token read encrypted payloads in the Temporal UI and the `temporal` command line.
 * It holds payload keys and nothing else: no ledger, no API key, no connection to Temporal. Who asked is recorded before
 * anything is answered (docs/decisions/0045).
 */
export { createCodecServer, type CodecServer } from './create-codec-server.js';
export { hashToken, makeToken } from './tokens.js';
