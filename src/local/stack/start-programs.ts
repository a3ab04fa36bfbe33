/** Starts our own programs as processes of a stack: the compiled command line and the sandbox. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { controlSandbox, type SandboxControl } from './control-sandbox.js';
import { packageRoot } from '../process/package-root.js';
import type { StackContext } from './stack-context.js';
import { superviseProcess } from '../process/supervise-process.js';

/** A worker waits for charged calls in flight; in the local stack no longer than this. */
const STOP_GRACE_MS = 20_000;
const READY_ANSWER_WITHIN_MS = 2_000;

/** The sandbox stores its charge book in the stack's folder, so that book and ledger still agree after a restart. */
export async function startSandboxProgram(
  context: StackContext,
  ports: { readonly sandbox: number; readonly documents: number },
): Promise<{ readonly url: string; readonly documentsUrl: string; readonly control: SandboxControl }> {
  const documentsUrl = `http://127.0.0.1:${ports.documents}`;
  const control = controlSandbox(`${documentsUrl}/__control`);
  await startProgram(context, {
    name: 'sandbox',
    args: [
      context.programs.sandbox,
      ...['--port', String(ports.sandbox), '--documents-port', String(ports.documents)],
      ...['--data-dir', context.stack.dataDir('sandbox')],
    ],
    env: buildChildEnv({ env: context.env, keepTemporal: false, ours: {} }),
    isReady: () => isOk(`${documentsUrl}/__control/clock`),
  });
  return { url: `http://127.0.0.1:${ports.sandbox}`, documentsUrl, control };
}

export async function startProgram(
  { stack, shutdown, onProgress, signal }: StackContext,
  program: {
    readonly name: string;
    readonly args: readonly string[];
    readonly env: NodeJS.ProcessEnv;
    readonly isReady: () => Promise<boolean>;
  },
): Promise<void> {
  const { name } = program;
  const started = await superviseProcess({
    ...program,
    command: process.execPath,
    logFile: stack.logFile(name),
    stopGraceMs: STOP_GRACE_MS,
    signal,
    onSpawn: (identity) => stack.recordProcess({ name, identity }),
    onExit: ({ how, logFile }) => shutdown.request(`the ${name} ended (${how}); its log is ${logFile}`),
  });
  shutdown.add({ ...started, name: `the ${name}` });
  onProgress({ about: 'stack', kind: 'step', text: `the ${name} is ready` });
}

export function findPrograms(): StackContext['programs'] {
  const dist = join(packageRoot(), 'dist');
  const programs = { cli: join(dist, 'src', 'cli', 'main.js'), sandbox: join(dist, 'sandbox', 'main.js') };
  for (const file of Object.values(programs)) {
    if (!existsSync(file)) throw new Error(`tramita: ${file} is missing; run \`npm run build\` first`);
  }
  return programs;
}

/** Whether a health address answers with a 2xx. */
export async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(READY_ANSWER_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}

/** Without every `TRAMITA_*` variable (the log level excepted) and, where the stack has its own Temporal, `TEMPORAL_*`. */
export function buildChildEnv(given: {
  readonly env: NodeJS.ProcessEnv;
  readonly keepTemporal: boolean;
  readonly ours: Readonly<Record<string, string>>;
}): NodeJS.ProcessEnv {
  const { env, keepTemporal, ours } = given;
  const isForeign = (name: string): boolean =>
    (name.startsWith('TRAMITA_') && name !== 'TRAMITA_LOG_LEVEL') || (name.startsWith('TEMPORAL_') && !keepTemporal);
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !isForeign(name))), ...ours };
}
