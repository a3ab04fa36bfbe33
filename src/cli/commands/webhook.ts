/**
 * `tramita webhook`: tries a receiver by hand as the service would call it (`send`, in its own file `verify`). Secrets come
 * from the configuration of the account, never from the command line, and are never printed.
 */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { cnjDigits, formatCnj } from '../../contract/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, usageError, type ExitCode } from '../exit-codes.js';
import { JSON_OPTION, printJson, printLine } from '../output.js';
import { postDelivery } from '../post-delivery.js';
import { readBody } from '../read-body.js';
import { webhookAccount } from '../webhook-account.js';
import { credentialsOf, forgeDeliveries, genuineHeaders, type Credentials } from '../webhook-forgeries.js';
import { addWebhookVerify } from './webhook-verify.js';

interface SendFlags {
  readonly to: string;
  readonly account: string;
  readonly file?: string;
  readonly event: string;
  readonly id?: string;
  readonly cnj?: string;
  readonly requestId?: string;
  readonly forge?: boolean;
  readonly json?: boolean;
}

interface Prepared {
  readonly to: URL;
  readonly body: Buffer;
  readonly event: string;
  readonly credentials: Credentials;
  readonly json: boolean;
}

export function addWebhookCommand(program: Command, setup: CommandSetup): void {
  const { context, run } = setup;
  const webhook = program.command('webhook').description('try a webhook receiver, or a payload, by hand');
  webhook
    .command('send')
    .description('post one event as the service does, signed with the newest secret of the account')
    .requiredOption('--to <url>', 'the receiver, like https://hooks.example.com/webhooks')
    .option('--account <name>', 'whose secrets sign it', 'default')
    .option('--file <path>', 'the body, sent byte for byte; else one is made of the members below')
    .option('--event <name>', 'name of the event', 'atualizacao_processo_concluida')
    .option('--id <id>', 'id of the event; a new one each time')
    .option('--cnj <number>', 'case that it is about')
    .option('--request-id <uuid>', 'request that it is about')
    .option('--forge', 'post forgeries instead, each wrong in one thing; exit code 1 if one is accepted')
    .option(...JSON_OPTION)
    .action(
      run(async (flags: SendFlags) => {
        const account = webhookAccount(context, flags.account);
        const credentials = credentialsOf(account);
        if (credentials.secret === undefined && credentials.token === undefined) {
          throw usageError(
            `account "${flags.account}" has neither a webhook secret nor a token: there is nothing to sign with`,
          );
        }
        const to = parseReceiver(flags.to);
        const prepared = {
          to,
          body: bodyOf(context, flags),
          event: flags.event,
          credentials,
          json: flags.json === true,
        };
        return flags.forge === true ? sendForgeries(context, prepared) : sendGenuine(context, prepared);
      }),
    );
  addWebhookVerify(webhook, setup);
}

async function sendGenuine(context: CliContext, { to, body, event, credentials, json }: Prepared): Promise<ExitCode> {
  const answer = await postDelivery(to, { body, headers: genuineHeaders(body, credentials, event) });
  const accepted = answer.status >= 200 && answer.status < 300;
  if (json) printJson(context, { ...answer, accepted });
  else printLine(context, `${answer.status} ${accepted ? 'accepted' : 'refused'}: ${printable(answer.body)}`);
  return accepted ? EXIT.ok : EXIT.failed;
}

async function sendForgeries(context: CliContext, { to, body, event, credentials, json }: Prepared): Promise<ExitCode> {
  const results: { readonly name: string; readonly status: number; readonly verdict: string }[] = [];
  for (const { name, ...delivery } of forgeDeliveries(body, credentials, event)) {
    const { status } = await postDelivery(to, delivery);
    const verdict = status >= 400 && status < 500 ? 'refused' : status < 300 ? 'ACCEPTED' : 'not refused';
    results.push({ name, status, verdict });
    if (!json) printLine(context, `${verdict.padEnd(11)} ${status}  ${name}`);
  }
  const wrong = results.filter(({ verdict }) => verdict !== 'refused').length;
  if (json) printJson(context, { forgeries: results, refused: results.length - wrong, wrong });
  else printLine(context, `\n${results.length - wrong} of ${results.length} forgeries refused`);
  return wrong === 0 ? EXIT.ok : EXIT.failed;
}

/** A token must not travel in the clear. Pure. */
function parseReceiver(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.hostname === 'localhost' || url?.hostname === '[::1]' || /^127\./.test(url?.hostname ?? '');
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && local))) {
    throw usageError(`--to: seen "${text.split('?')[0] ?? ''}"; expected an https URL, or http on this machine`);
  }
  return url;
}

function bodyOf({ cwd }: CliContext, { file, event, id, cnj, requestId }: SendFlags): Buffer {
  if (file !== undefined) {
    if (id !== undefined || cnj !== undefined || requestId !== undefined) {
      throw usageError('--file is the whole body: --id, --cnj and --request-id belong to one that is made');
    }
    return readBody(cwd, file);
  }
  const digits = cnj === undefined ? undefined : cnjDigits(cnj);
  if (cnj !== undefined && digits === undefined) {
    throw usageError(
      `--cnj: seen "${cnj.slice(0, 30)}"; expected a case number, 20 digits with or without punctuation`,
    );
  }
  return Buffer.from(
    JSON.stringify({
      id: id ?? randomUUID(),
      event,
      source: 'tramita webhook send',
      created_at: new Date().toISOString(),
      data: {
        ...(requestId === undefined ? {} : { requestId }),
        ...(digits === undefined ? {} : { numeroCnj: formatCnj(digits) }),
      },
    }),
  );
}

function printable(text: string): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, 500);
}
