/** Options and log of the codec server. */
import type { CodecConfig, PayloadKeys } from '../config/index.js';
import type { Access } from '../privacy/index.js';

/** Where the server logs; a pino logger fits. Fields are names, counts and reasons: never a payload, never a token. */
export interface CodecLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface CodecServerOptions extends Pick<CodecConfig, 'listen' | 'origins' | 'namespaces' | 'tokens' | 'oidc'> {
  readonly keys: PayloadKeys;
  /** Offer `/encode` as well. */
  readonly encode: boolean;
  /** A proxy in front terminates TLS, so the cookie is for https only. */
  readonly secureCookie: boolean;
  /** If this rejects, nothing is shown. */
  readonly recordAccess: (access: Access) => Promise<void>;
  /** Rejects if the access log could not be written now. */
  readonly checkDatabase: () => Promise<void>;
  readonly log: CodecLog;
}
