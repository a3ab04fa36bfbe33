/**
 * Whether the stack starts a Temporal server or uses one that runs already, and likewise for PostgreSQL. Pure; the
 * empty string counts as unset. With `running` nothing is started.
 */
export type ServerSource =
  | { readonly kind: 'running'; readonly address: string; readonly why: string }
  | { readonly kind: 'own'; readonly why: string };

export function decideTemporalSource(env: NodeJS.ProcessEnv): ServerSource {
  return decideSource(env, 'TEMPORAL_ADDRESS');
}

export function decidePostgresSource(env: NodeJS.ProcessEnv): ServerSource {
  return decideSource(env, 'TRAMITA_DATABASE_URL');
}

function decideSource(env: NodeJS.ProcessEnv, name: string): ServerSource {
  const address = env[name] ?? '';
  if (address === '') return { kind: 'own', why: `${name} is not set` };
  return { kind: 'running', address, why: `${name} is set` };
}
