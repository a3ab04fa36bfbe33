/**
 * Flags that a caller writes among the parameters, under the name that configuration gives them (`gaps.documentsFlag`), become
 * flags of the call. The callback flag is no caller's business: whether a webhook is expected decides. Pure.
 */
import type { FlagName, Gaps, Operation, Parameters, ParameterValue } from '../../contract/index.js';

export type SplitFlags =
  | { readonly ok: true; readonly params: Parameters; readonly flags: readonly FlagName[] }
  | { readonly ok: false; readonly problem: string };

export function splitFlags(operation: Operation<string>, params: Parameters, gaps: Gaps): SplitFlags {
  const { documentsFlag, callbackFlag } = gaps;
  if (operation.flags.includes('callback') && Object.hasOwn(params, callbackFlag.name)) {
    return {
      ok: false,
      problem: `params.${callbackFlag.name} is set by the flow; say "webhook": true or false instead`,
    };
  }
  if (!operation.flags.includes('documents') || !Object.hasOwn(params, documentsFlag.name)) {
    return { ok: true, params, flags: [] };
  }
  const { [documentsFlag.name]: given, ...rest } = params;
  const on = readSwitch(given);
  if (on === undefined) return { ok: false, problem: `params.${documentsFlag.name} must be true or false` };
  return { ok: true, params: rest, flags: on ? ['documents'] : [] };
}

function readSwitch(value: ParameterValue | undefined): boolean | undefined {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  return value === false || value === 'false' || value === 0 || value === '0' ? false : undefined;
}
