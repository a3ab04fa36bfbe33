/**
 * An operation of the service as data: one method and one path. The catalogue lists all operations and drives activities,
 * sandbox routes, OpenAPI and the command line. Plain JSON: answer schemas are in `answers.ts`, so this file may be
 * imported where zod may not. No I/O.
 */
import type { ParameterKind, Parameters } from './parameter-kinds.js';

/** The stable id of a built-in operation; parameter names are the service's own. */
export type OperationId =
  | 'getAvailability'
  | 'getBalance'
  | 'getRequest'
  | 'searchTerm'
  | 'searchLegacy'
  | 'listCasesByDocument'
  | 'getCase'
  | 'listMovements'
  | 'requestRefresh'
  | 'getRefreshStatus'
  | 'listPublicDocuments'
  | 'requestSummary'
  | 'getSummary'
  | 'listLawyerCases'
  | 'listLawyerGazettes'
  | 'createNoticeMonitor'
  | 'listNoticeMonitors'
  | 'updateNoticeMonitor'
  | 'listNotices'
  | 'getPublication'
  | 'listRadars'
  | 'createRadar'
  | 'createCaseMonitor'
  | 'deactivateAdminMonitor'
  | 'listPrecatorios'
  | 'getElectoralPublication'
  | 'getElectoralEditionPdf'
  | 'searchElectoralBoard'
  | 'listAdministrativeBodies'
  | 'listCourtSystems';

/** HTTP method of an operation. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What a call costs.
 * - `free`: the interface states it.
 * - `presumed free`: the interface is silent, experience says free; the first charge seen raises an alarm.
 * - `per call`: every completed call may be charged, further pages included. Also wherever the interface is silent.
 * - `first page`: page 1 may be charged at every call, pages above 1 are free.
 * - `recurring`: the call may be charged, and what it creates bills again and again until it is switched off.
 */
export type ChargeClass = 'free' | 'presumed free' | 'per call' | 'first page' | 'recurring';

/** Which parameters ask for another page. How an answer names its next page is read by `readPage`. */
export type Paging = 'none' | 'page' | 'page and limit' | 'page and limit, or cursor and li';

/**
 * Form of a successful answer. `pdf` and `legacy` carry charge and ids in `X-Service-*` headers; `legacy` is the bare
 * search payload, its errors may be plain text and its 402 means no balance (interface, rule 11).
 */
export type AnswerForm = 'envelope' | 'availability' | 'reproduced' | 'pdf' | 'legacy';

/**
 * What can decide an unknown outcome at no cost, besides the balance. A webhook event decides nothing (docs/decisions/0026), but
 * may name a request to poll.
 * - `refresh status`: the status record of the case, or the answer about its request.
 * - `request id`: only the answer about the request, where its id is known.
 * - `listing`: the listing `evidenceFrom`, read before and after.
 * - `idempotent`: the call may simply be repeated.
 * - `own ledger`: nothing at the service shows it; our ledger ensures that it is sent once.
 */
export type Evidence = 'none' | 'refresh status' | 'request id' | 'listing' | 'idempotent' | 'own ledger';

/** Switches whose wire name and place the interface does not show; configuration names them (`gaps`). */
export type FlagName = 'documents' | 'callback';

/** One parameter of an operation. */
export interface OperationParameter {
  /** The service's name; where the interface shows none, the configured one (`gap`, `filter`). */
  readonly name: string;
  /** Where it goes in the request. */
  readonly in: 'path' | 'query' | 'body';
  /** How its value is checked and spelled before it is sent. */
  readonly kind: ParameterKind;
  /** Whether a call without it is refused before it is sent. */
  readonly required: boolean;
  /** The gap that names this parameter. */
  readonly gap?: 'oabNumberParam' | 'oabStateParam' | 'termPageParam';
  /** The gap that says where it goes. */
  readonly placeGap?: 'updateMonitorOabIn';
  /** Our name of a filter that configuration has named; accepted in `params` as well. */
  readonly filter?: string;
  /** Values that the interface documents. Others are refused only where the kind is `choice`. */
  readonly values?: readonly string[];
}

/** A filter that the interface mentions without its parameter; usable once `gaps.filters` names it. */
export interface FilterGap {
  /** Our name of the filter, as `gaps.filters` of the configuration uses it. */
  readonly name: string;
  /** How its value is checked and spelled. */
  readonly kind: ParameterKind;
}

/** One operation of the service: where it is, what it takes, what it may cost, and how its answer is read. */
export interface Operation<Id extends string = OperationId> {
  /** Its name in inputs, in the configuration and in the ledger. */
  readonly id: Id;
  /** HTTP method. */
  readonly method: Method;
  /** Relative to the base URL, with `{name}` for path parameters. */
  readonly path: string;
  /** The gap that gives the path. */
  readonly pathGap?: 'summaryPath';
  /** All parameters that are known. */
  readonly parameters: readonly OperationParameter[];
  /** Filters without a parameter name yet. */
  readonly filters: readonly FilterGap[];
  /** Sets of parameters; at least one set must be given in full. */
  readonly needsOneOf?: readonly (readonly string[])[];
  /** True: further members are accepted, because the interface does not show them all. */
  readonly open: { readonly query: boolean; readonly body: boolean };
  /** Flags the operation understands. `documents` widens what is answered; `callback` only asks for a webhook. */
  readonly flags: readonly FlagName[];
  /** Whether a call may cost money. */
  readonly charge: ChargeClass;
  /** Decimal string of the account's currency, only where the interface gives a figure. */
  readonly price?: string;
  /** True when the service may answer 202 and finish later. */
  readonly eligible202: boolean;
  /** True when the end of a 202 may be announced by webhook. */
  readonly announcedByWebhook: boolean;
  /** How a list leads from one page to the next. */
  readonly paging: Paging;
  /** What a successful answer is: JSON with or without an envelope, or a file. */
  readonly answer: AnswerForm;
  /** A list that may come bare, without an object around it, although it has no pages. */
  readonly bareList?: true;
  /** What may show, for free, whether a call with a lost answer was charged. */
  readonly evidence: Evidence;
  /** The operation that is read for `evidence`, if it is another one. */
  readonly evidenceFrom?: OperationId;
  /** True for paths that the interface marks deprecated. */
  readonly deprecated?: boolean;
  /** Section of the interface document. */
  readonly source: string;
}

/** Whether this call may cost money. Of a `first page` operation, only a call that provably asks for a later page is free. */
export function isCharged(operation: Operation<string>, params: Parameters = {}): boolean {
  switch (operation.charge) {
    case 'free':
    case 'presumed free':
      return false;
    case 'first page':
      return !/^[1-9]\d{0,8}$/.test(String(params['page'] ?? '')) || Number(params['page']) === 1;
    case 'per call':
    case 'recurring':
      return true;
  }
}
