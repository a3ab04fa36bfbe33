/**
 * Types and ports of the bridge. It sees the inbox through a few methods and Temporal through one function, and it holds only
 * webhook secrets and tokens, never an API key.
 */
import type { Inbox, Wake } from '../inbox/index.js';
import type { WakeInput } from '../protocol/index.js';
import type { RequestSpan } from '../traces/index.js';
import type { RelaySettings, SignalWake, WakeInbox } from '../wakes/index.js';

/** How the text of a secret becomes key bytes. */
export type SecretForm = 'utf8' | 'hex';

/** The secrets and tokens by which the bridge recognises a delivery of the service to this account. */
export interface BridgeAccount {
  /** HMAC secrets, newest first; all are tried (rotation). Empty: no signature is required. */
  readonly secrets: readonly string[];
  readonly secretForm: SecretForm;
  /** Bearer tokens, newest first. Empty: no token is required. If secrets and tokens are set, both must match. */
  readonly tokens: readonly string[];
}

export type BridgeInbox = Pick<Inbox, 'record'> & WakeInbox;

/**
 * Where the bridge logs; a pino logger fits. Fields are names, ids, digests and counts: never a body, a header value or an
 * identifier of a person.
 */
export interface BridgeLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Options of a bridge: its addresses, the secrets of each account, and its dependencies. */
export interface BridgeOptions {
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly opsListen: { readonly host: string; readonly port: number };
  /** By account name; `/webhooks` is account `default`. */
  readonly accounts: Readonly<Record<string, BridgeAccount>>;
  readonly inbox: BridgeInbox;
  readonly signalWake: SignalWake;
  readonly log: BridgeLog;
  /** Epoch ms. */
  readonly clock: () => number;
  /** Accept deliveries to accounts without secret and token from anybody; false. */
  readonly insecure?: boolean;
  /** PEM texts: serve HTTPS. Absent: plain HTTP, for a proxy in front that terminates TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly relay?: RelaySettings;
  /** Deliveries being stored at once; 256. */
  readonly maxInFlight?: number;
  /** Longest time until a delivery is answered; 8,000. */
  readonly answerWithinMs?: number;
  /** Begins a trace span for a delivery that is proven authentic. Strangers cause no spans. */
  readonly beginRequest?: (name: string, startMs: number) => RequestSpan;
  /** Memory of all bodies over 8 KB together, from their first byte until they are stored; 32 MB, at least 1 MB. */
  readonly maxBodyBytes?: number;
}

/** What is known about a delivery before its body. */
export interface DeliveryHead {
  readonly account: string;
  /** As Node reports them: name, value, name, value … duplicates included. */
  readonly rawHeaders: readonly string[];
  /** Epoch ms when the head was complete; the answer is due 8 s after it. */
  readonly receivedAtMs: number;
}

/** A delivery as the transport has it. */
export interface Delivery extends DeliveryHead {
  readonly body: Buffer;
}

/** What goes back to the sender. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string | boolean>>;
}

/** The outcome of a delivery. */
export interface Handled {
  readonly answer: Answer;
  /** Flows to be woken after the answer is sent. */
  readonly owed?: { readonly wakes: readonly Wake[]; readonly payload: WakeInput };
  /** The wakes belong to this span; it is ended after the answer. */
  readonly span?: RequestSpan;
  /** The inbox still needs the body after the answer, until this settles. Never rejects. */
  readonly storing?: Promise<unknown>;
}
