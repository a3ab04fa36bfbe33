/** One error for a configuration that cannot be used, with every problem in it. */

/** Name of the error that `resolveConfig` throws; it has the list in `problems`. */
export const CONFIG_ERROR = 'TramitaConfigError';
/** The error of a configuration that cannot be used, with one line per problem. Known by its name, {@link CONFIG_ERROR}. */
export type ConfigError = Error & { readonly problems: readonly string[] };

export function configError(problems: readonly string[]): ConfigError {
  const head = `tramita: the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
  const error = new Error([head, ...problems.map((problem) => `- ${problem}`)].join('\n'));
  error.name = CONFIG_ERROR;
  return Object.assign(error, { problems: [...problems] });
}
