/**
 * What a flow is about: its label, which people read, and its search attributes, by which it is found. Where the account masks
 * case numbers, both show a token.
 */
import { upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, type TypedSearchAttributes } from '@temporalio/common';
import { formatCnj, type Cnj } from '../../contract/values/index.js';
import { SEARCH_ATTRIBUTES, type CommonSettings, type WorkflowType } from '../../protocol/index.js';

const FLOW = defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD');
const ACCOUNT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.account, 'KEYWORD');
const CASE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.case, 'KEYWORD');

export interface Subject {
  readonly type: WorkflowType;
  readonly settings: Pick<CommonSettings, 'account'>;
  /** The one case that the flow is about: it is shown, unless its account masks it, and the search attribute has its digits. */
  readonly cnj?: Cnj | undefined;
  /** What people read if the flow is about no case; by default its type. */
  readonly label?: string;
}

interface ShownSubject {
  readonly label: () => string;
  /** Shows the token from here on. */
  readonly maskCase: (token: string) => void;
  /** Sets the search attributes, if neither the start nor an earlier run has set them. */
  readonly setAttributes: () => void;
}

export function openSubject(
  { type, settings, cnj, label: text = type }: Subject,
  attributes: TypedSearchAttributes,
): ShownSubject {
  const given = attributes.get(CASE);
  let shownCase: string | undefined = given ?? cnj;
  let label = cnj === undefined ? text : formatCnj(cnj);
  // If the case is masked, a run that continues another one takes the token from the search attribute.
  if (given !== undefined && given !== cnj) label = `case ${given}`;
  return {
    label: () => label,
    maskCase: (token) => {
      label = `case ${token}`;
      if (shownCase === token) return;
      shownCase = token;
      upsertSearchAttributes([{ key: CASE, value: token }]);
    },
    setAttributes: () => {
      if (attributes.get(FLOW) !== undefined) return;
      upsertSearchAttributes([
        { key: FLOW, value: type },
        { key: ACCOUNT, value: settings.account },
        ...(cnj === undefined ? [] : [{ key: CASE, value: cnj }]),
      ]);
    },
  };
}
