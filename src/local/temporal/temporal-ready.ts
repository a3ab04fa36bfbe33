/**
 * Whether a development server really answers. Asked through the UI's own HTTP interface, which passes the question on
 * to the server: "no such workflow" can only come from a history service that owns its shard, so UI, frontend and
 * history all work. An open port says none of that.
 */
const ANSWER_WITHIN_MS = 2_000;

/** gRPC code NOT_FOUND, as the UI's interface returns it in `code`. */
const GRPC_NOT_FOUND = 5;

const PROBE_WORKFLOW = 'tramita-readiness-probe';

export interface TemporalReadyOptions {
  readonly uiUrl: string;
  /** Must be registered before it counts as ready. */
  readonly searchAttributes: readonly string[];
}

export async function isTemporalReady({ uiUrl, searchAttributes }: TemporalReadyOptions): Promise<boolean> {
  const namespace = `${uiUrl}/api/v1/namespaces/default`;
  const workflow = await getJson(`${namespace}/workflows/${PROBE_WORKFLOW}`);
  if (workflow?.['code'] !== GRPC_NOT_FOUND || !/workflow/i.test(String(workflow['message']))) return false;
  if (searchAttributes.length === 0) return true;
  const registered = (await getJson(`${namespace}/search-attributes`))?.['customAttributes'];
  return typeof registered === 'object' && registered !== null && searchAttributes.every((name) => name in registered);
}

async function getJson(url: string): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return (await response.json()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
