/** What the codec server takes, and where it logs. */
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
  /** A proxy ends TLS in front: the cookie goes over https only. */
  readonly secureCookie: boolean;
  /** Rejects: nothing is shown. */
  readonly recordAccess: (access: Access) => Promise<void>;
  /** Rejects when no line could be written now. */
  readonly checkDatabase: () => Promise<void>;
  readonly log: CodecLog;
}
