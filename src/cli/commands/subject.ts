/**
 * `tramita subject find|export|erase`: what is held about a case, a person, a company or a lawyer. The requester's name and reason
 * are in the access log before any data is read.
 */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { seekNumber, tokenOfSubject } from '../../privacy/index.js';
import type { CommandSetup } from '../context.js';
import { usageError } from '../exit-codes.js';
import { JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { countHeld } from '../subject/count-held.js';
import { eraseAgain, eraseOne, type EraseFlags } from '../subject/erase.js';
import { intoNewFile, writeExport } from '../subject/export-held.js';
import { heldText } from '../subject/report.js';
import { withLoggedAccess, type SubjectFlags } from '../subject/with-holdings.js';

export function addSubjectCommand(program: Command, { context, run }: CommandSetup): void {
  const group = program.command('subject').description('what is held about a person, a company, a lawyer or a case');
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .option('--cnj <number>', 'a case')
      .option('--cpf <number>', 'a person')
      .option('--cnpj <number>', 'a company')
      .option('--oab <registration>', 'a lawyer, like SP:123456')
      .requiredOption('--by <who>', 'your name or a ticket, for the access log')
      .requiredOption('--reason <text>', 'why, for the access log; without personal numbers')
      .option(...JSON_OPTION);
  add('find', 'count what is held, by place').action(
    run((flags: SubjectFlags & JsonFlag) =>
      withLoggedAccess(context, flags, 'subject find', async (stores, subject) => {
        const { total, places } = await countHeld(stores, seekNumber(stores.token, subject));
        print(context, flags.json, { token: tokenOfSubject(stores.token, subject), total, places }, [heldText(places)]);
      }),
    ),
  );
  add('export', 'write everything that is held into one JSON file')
    .requiredOption('--file <path>', 'a new file, readable by you alone; - prints it')
    .action(
      run((flags: SubjectFlags & { readonly file: string; readonly json?: boolean }) => {
        if (flags.file === '-' && flags.json === true)
          throw usageError('--file - prints the export alone: leave --json out');
        return withLoggedAccess(context, flags, 'subject export', async (stores, subject) => {
          if (flags.file === '-') {
            const items = await writeExport(stores, subject, async (text) => {
              context.out(text);
              await context.drained?.();
            });
            context.err(`${items} items written\n`);
            return;
          }
          const file = resolve(context.cwd, flags.file);
          const items = await intoNewFile(file, (write) => writeExport(stores, subject, write));
          print(context, flags.json, { file, items }, `${items} items written to ${file}`);
        });
      }),
    );
  add('erase', 'erase it everywhere; what was charged stays, without personal data')
    .option('--yes', 'do it; without this flag, only count')
    .option('--cancel', 'end flows that still run, and remove schedules')
    .option('--without <journal>', 'do not wait for this worker (as listed): its disk is gone for good')
    .option('--again', 'repeat all erasures, after a restore of the database')
    .action(
      run((flags: EraseFlags) =>
        flags.again === true
          ? eraseAgain(context, flags)
          : withLoggedAccess(context, flags, 'subject erase', (stores, subject) =>
              eraseOne(context, flags, stores, subject),
            ),
      ),
    );
}
