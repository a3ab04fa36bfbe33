/** What `up` and `demo --keep` print: addresses and lines that can be pasted into another terminal. Pure. */
import type { LocalStack } from '../../local/index.js';
import { DEFAULT_ACCOUNT, refreshCaseId } from '../../protocol/index.js';

/** Case of the sandbox that ends well with three public documents (sandbox/cases/personas.ts). */
export const DEMO_CNJ = '1000001-51.2026.8.26.0100';

export interface StackSummary {
  readonly temporal: { readonly address: string; readonly uiUrl: string | null };
  readonly sandbox: { readonly url: string; readonly documentsUrl: string; readonly apiKey: string };
  readonly bridge: { readonly url: string };
  readonly env: Readonly<Record<string, string>>;
  /** `temporal workflow start …` */
  readonly startCommand: string;
}

export function summarizeStack(stack: LocalStack): StackSummary {
  const { temporal, sandbox, bridgeUrl, clientEnv } = stack;
  return {
    temporal: { address: temporal.address, uiUrl: temporal.uiUrl ?? null },
    sandbox: { url: sandbox.url, documentsUrl: sandbox.documentsUrl, apiKey: clientEnv.TRAMITA_API_KEY ?? '' },
    bridge: { url: bridgeUrl },
    env: clientEnv,
    startCommand: [
      `${quote(temporal.tool ?? 'temporal')} workflow start --address ${temporal.address} --type refreshCase --task-queue ${stack.taskQueue}`,
      `--workflow-id ${refreshCaseId(DEFAULT_ACCOUNT, DEMO_CNJ.replace(/\D/g, ''))}`,
      `--input '${JSON.stringify({ cnj: DEMO_CNJ, documents: true })}'`,
    ].join(' '),
  };
}

export function stackLines(stack: LocalStack): string {
  const { temporal, sandbox, bridge, env, startCommand } = summarizeStack(stack);
  return [
    '',
    `Temporal  ${temporal.address}${temporal.uiUrl === null ? '' : `   UI ${temporal.uiUrl}`}`,
    `sandbox   ${sandbox.url}   key ${sandbox.apiKey}   control ${sandbox.documentsUrl}/__control`,
    `bridge    ${bridge.url}/webhooks`,
    `logs      ${stack.folder}/logs`,
    '',
    'Start a flow from anything that speaks to Temporal:',
    `  ${startCommand}`,
    '',
    'For the commands of this package, in another terminal (the database password is of this local stack only):',
    ...Object.entries(env).map(([name, value]) => `  export ${name}=${quote(value)}`),
    `  npx tramita start refreshCase --cnj ${DEMO_CNJ} --documents --wait`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
