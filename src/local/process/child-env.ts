/**
 * Environment of the local programs, built up from nothing of ours: settings of a production stack that stand in the
 * user's terminal (keys, addresses, a profile of Temporal) must never reach a local one. Pure.
 */

/** Without every `TRAMITA_*` variable (the log level excepted) and, where the stack has its own Temporal, `TEMPORAL_*`. */
export function buildChildEnv({
  env,
  keepTemporal,
  ours,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly keepTemporal: boolean;
  readonly ours: Readonly<Record<string, string>>;
}): NodeJS.ProcessEnv {
  const isForeign = (name: string): boolean =>
    (name.startsWith('TRAMITA_') && name !== 'TRAMITA_LOG_LEVEL') || (name.startsWith('TEMPORAL_') && !keepTemporal);
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !isForeign(name))), ...ours };
}
