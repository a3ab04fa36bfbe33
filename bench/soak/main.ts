/** `npm run soak:matrix`: progress on stderr; on stdout what each fault did and, as the last line, the summary as JSON. */
import { formatFaults, problemsOf, summarize } from './report.js';
import { runSoak } from './run-soak.js';
import { startServers } from '../../soak/servers.js';
import { parseSoakSettings } from './settings.js';

async function main(): Promise<number> {
  const settings = parseSoakSettings(process.argv.slice(2));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  // A soak that is stopped leaves no server behind.
  const stopped = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`stopped by ${signal}`)));
  });
  stopped.catch(() => undefined);
  const servers = await startServers();
  try {
    const facts = await runSoak(settings, servers, { say, stopped });
    const summary = summarize(facts);
    const problems = problemsOf(summary);
    process.stdout.write(`${formatFaults(facts)}\n\n`);
    for (const text of [
      ...facts.examined.findings.map((finding) => `${finding.kind}: ${finding.text}`),
      ...facts.examined.reached,
    ]) {
      process.stdout.write(`${text}\n`);
    }
    for (const problem of problems) process.stdout.write(`NOT ZERO: ${problem}\n`);
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await servers.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
