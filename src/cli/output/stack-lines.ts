/** What `up` and `demo --keep` print: addresses and lines that can be pasted into another terminal. Pure. */
import type { LocalStack } from '../../local/index.js';
import { DEFAULT_ACCOUNT, refreshCaseId } from '../../protocol/index.js';
import { shellWord } from './shell-word.js';

/** Case of the sandbox whose refresh succeeds with three public documents (sandbox/cases/personas.ts). */
export const DEMO_CNJ = '1000001-51.2026.8.26.0100';

export interface StackSummary {
  readonly temporal: { readonly address: string; readonly uiUrl: string | null; readonly httpUrl: string | null };
  readonly sandbox: { readonly url: string; readonly documentsUrl: string; readonly apiKey: string };
  readonly bridge: { readonly url: string };
  /** Null if payloads are not encrypted. The token is only in the file. */
  readonly codec: { readonly url: string; readonly tokenFile: string } | null;
  readonly env: Readonly<Record<string, string>>;
  /** `temporal workflow start …` */
  readonly startCommand: string;
}

export function summarizeStack(stack: LocalStack): StackSummary {
  const { temporal, sandbox, bridgeUrl, clientEnv } = stack;
  return {
    temporal: { address: temporal.address, uiUrl: temporal.uiUrl ?? null, httpUrl: temporal.httpUrl ?? null },
    sandbox: { url: sandbox.url, documentsUrl: sandbox.documentsUrl, apiKey: clientEnv.TRAMITA_API_KEY ?? '' },
    bridge: { url: bridgeUrl },
    codec: stack.codec ?? null,
    env: clientEnv,
    startCommand: [
      `${toolOf(stack)} workflow start --address ${temporal.address} --type refreshCase --task-queue ${stack.taskQueue}`,
      `--workflow-id ${refreshCaseId(DEFAULT_ACCOUNT, DEMO_CNJ.replace(/\D/g, ''))}`,
      `--input '${JSON.stringify({ cnj: DEMO_CNJ, documents: true })}'`,
    ].join(' '),
  };
}

export function stackLines(stack: LocalStack): string {
  const { temporal, sandbox, bridge, codec, env, startCommand } = summarizeStack(stack);
  return [
    '',
    `Temporal  ${temporal.address}${labelled('UI', temporal.uiUrl)}${labelled('HTTP API', temporal.httpUrl)}`,
    `sandbox   ${sandbox.url}   key ${sandbox.apiKey}   control ${sandbox.documentsUrl}/__control`,
    `bridge    ${bridge.url}/webhooks`,
    ...(codec === null ? [] : [`codec     ${codec.url}   token in ${codec.tokenFile}`]),
    `logs      ${stack.folder}/logs`,
    '',
    'Start a flow from anything that speaks to Temporal:',
    `  ${startCommand}`,
    '',
    ...(codec === null ? [] : codecLines(codec, `${toolOf(stack)} workflow show --address ${temporal.address}`)),
    'For the commands of this package, in another terminal (the database password is of this local stack only):',
    ...Object.entries(env).map(([name, value]) => `  export ${name}=${shellWord(value)}`),
    `  control=${sandbox.documentsUrl}/__control   # of the sandbox: faults, clock, charge book`,
    `  npx tramita start refreshCase --cnj ${DEMO_CNJ} --documents --wait`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function labelled(name: string, url: string | null): string {
  return url === null ? '' : `   ${name} ${url}`;
}

function toolOf({ temporal }: LocalStack): string {
  return shellWord(temporal.tool ?? 'temporal');
}

/** Needed once per browser: it keeps the settings of the UI, and the ports of this stack stay the same. */
function codecLines({ url, tokenFile }: NonNullable<StackSummary['codec']>, show: string): readonly string[] {
  return [
    'Payloads are encrypted. To read them in the UI of this browser:',
    `  1. open ${url}/login and give the token`,
    '  2. in the UI, the icon Codec Server at the top right: "Use my browser setting", the address below, "Include cross-origin credentials"',
    `     ${url}`,
    'In a terminal:',
    `  ${show} --workflow-id … --codec-endpoint ${url} --codec-auth "Bearer $(cat ${shellWord(tokenFile)})"`,
    '',
  ];
}
