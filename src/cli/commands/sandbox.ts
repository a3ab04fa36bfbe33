/** `tramita sandbox`: runs the program of the imitation service in this process, with its own options. */
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';

const OPTIONS = `
Options of the sandbox (its first line on stdout is "sandbox ready {…JSON…}"):
  --port N                 port of the service, 0 takes a free one
  --documents-port N       port of the second origin (signed links, control interface)
  --data-dir DIR           keep charge book and pending work here
  --refresh-ms N           how long a refresh takes
  --slow-refresh-ms N      how long the refresh of the slow persona takes
  --seed TEXT              same seed, same cases
  --opening-balance TEXT   decimal amount
  --webhook-host HOST=URL  deliver for this https host to a loopback address
  --corpus NAME            tiny, firm (10,000 cases) or mass (1,000,000, made from the number)
  --per-minute N           requests per minute and key
  --dialect JSON           where the interface is silent: see docs/sandbox.md
  --tls-port N             serve HTTPS too, with a certificate made at start
`;

export function addSandboxCommand(program: Command, { run }: CommandSetup): void {
  program
    .command('sandbox')
    .description('run the imitation service (loopback only)')
    .argument('[options...]', 'passed on')
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText('after', OPTIONS)
    .action(
      run(async (options: readonly string[]) => {
        // the program reads the arguments, handles signals and ends the process by itself
        process.argv.splice(2, Infinity, ...options);
        await import('../../../sandbox/main.js');
        return new Promise<never>(() => undefined);
      }),
    );
}
