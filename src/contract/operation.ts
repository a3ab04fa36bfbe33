/**
 * What an operation of the service is, as data: one method and one path. The catalogue lists them; activities, sandbox
 * routes and the command line are driven by it. Nothing here talks to anything.
 */

/** The stable id of an operation; parameter names are the service's own. */
export type OperationId =
  'getAvailability' | 'getBalance' | 'getRequest' | 'requestRefresh' | 'getRefreshStatus' | 'listPublicDocuments';

/**
 * What a call costs.
 * - `free`: the interface states it.
 * - `presumed free`: the interface is silent, experience says free; the first charge seen raises an alarm.
 * - `per call`: every completed call may be charged.
 */
export type ChargeClass = 'free' | 'presumed free' | 'per call';

/** How the answer of an operation is paged. */
export type Paging = 'none' | 'page and limit';

/** Switches whose wire name and place the interface does not show; configuration names them (`gaps`). */
export type FlagName = 'documents' | 'callback';

export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly kind: 'cnj' | 'request id' | 'positive integer';
  readonly required: boolean;
}

export interface Operation {
  readonly id: OperationId;
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL, with `{name}` for path parameters. */
  readonly path: string;
  readonly parameters: readonly OperationParameter[];
  /** Flags the operation understands. `documents` widens what is answered; `callback` only asks for a webhook. */
  readonly flags: readonly FlagName[];
  readonly charge: ChargeClass;
  /** Decimal string of the account's currency, only where the interface gives a figure. */
  readonly price?: string;
  /** True when the service may answer 202 and finish later. */
  readonly eligible202: boolean;
  /** True when the end of a 202 may be announced by webhook. */
  readonly announcedByWebhook: boolean;
  readonly paging: Paging;
  /** What can decide an unknown outcome without money (design 10). */
  readonly evidence: 'none' | 'refresh status';
  /** Section of the interface document. */
  readonly source: string;
}

export function isCharged(operation: Operation): boolean {
  return operation.charge === 'per call';
}
