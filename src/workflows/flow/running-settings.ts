/** The settings of a running flow: those of its input, completed from its memo, with the cap that a person has raised. */
import { upsertMemo } from '@temporalio/workflow';
import {
  MEMO_MAX_SPEND,
  MEMO_SWEEP,
  raisedCapProblem,
  readSweepMemo,
  type CommonSettings,
} from '../../protocol/index.js';

export interface RunningSettings {
  readonly now: () => CommonSettings;
  /** The runs that continue this one have the raised cap, too. */
  readonly raiseCap: (maxSpend: string) => void;
}

export function openSettings(given: CommonSettings, memo: Record<string, unknown> | undefined): RunningSettings {
  let settings = withMemo(given, memo);
  return {
    now: () => settings,
    raiseCap: (maxSpend) => {
      settings = { ...settings, maxSpend };
      upsertMemo({ [MEMO_MAX_SPEND]: maxSpend });
    },
  };
}

/**
 * A refresh that a portfolio started takes its `once` key and shared budget from the memo; the input's own values win. A cap
 * that a person has raised in an earlier run stays raised.
 */
function withMemo(settings: CommonSettings, memo: Record<string, unknown> | undefined): CommonSettings {
  const sweep = readSweepMemo(memo?.[MEMO_SWEEP]);
  const raised = memo?.[MEMO_MAX_SPEND];
  const isRaised =
    typeof raised === 'string' && raisedCapProblem({ by: '', maxSpend: raised }, settings.maxSpend) === undefined;
  return { ...sweep, ...settings, ...(isRaised ? { maxSpend: raised } : {}) };
}
