/** `tramita webhook send`: posts one event as the service would; the forgeries of `--forge` have their own file. */
import type { Command } from 'commander';
import { isLoopback } from '../../config/index.js';
import { cnjDigits } from '../../contract/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { buildEventBody } from '../webhook/event-body.js';
import { EXIT, usageError, type ExitCode } from '../exit-codes.js';
import { JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { isSuccess, postDelivery } from '../webhook/post-delivery.js';
import { readBodyFile } from '../input/read-body.js';
import { sendForgeries, type ToSend } from '../webhook/send-forgeries.js';
import { addCredentialFlags, webhookAccount, type CredentialFlags } from '../webhook/webhook-account.js';
import { credentialsOf, genuineHeaders } from '../webhook/webhook-forgeries.js';

/** Most characters of a receiver's answer that are shown. */
const MOST_OF_ANSWER = 500;

interface Flags extends CredentialFlags, JsonFlag {
  readonly to: string;
  readonly file?: string;
  readonly event: string;
  readonly id?: string;
  readonly cnj?: string;
  readonly requestId?: string;
  readonly forge?: boolean;
}

export function addWebhookSend(webhook: Command, { context, run }: CommandSetup): void {
  const send = webhook
    .command('send')
    .description('post one event as the service does, signed with the newest secret of an account')
    .requiredOption('--to <url>', 'the receiver, like https://hooks.example.com/webhooks')
    .option(
      '--file <path>',
      'the body, sent byte for byte (- is standard input); otherwise one is built from the members below',
    )
    .option('--event <name>', 'name of the event', 'atualizacao_processo_concluida')
    .option('--id <id>', 'id of the event; a new one each time')
    .option('--cnj <number>', 'case that it is about')
    .option('--request-id <uuid>', 'request that it is about')
    .option(
      '--forge',
      'post forgeries, each wrong in one thing, after one genuine probe; exit code 1 if one is accepted',
    )
    .option(...JSON_OPTION);
  addCredentialFlags(send).action(
    run(async (flags: Flags) => {
      const { event, json = false } = flags;
      const to = parseReceiver(flags.to);
      const credentials = credentialsOf(webhookAccount(context, flags));
      if (credentials.secret === undefined && credentials.token === undefined) {
        throw usageError(
          `account "${flags.account}" has neither a webhook secret nor a token: there is nothing to sign with. Set the receiver's secret in the variable of the account (TRAMITA_WEBHOOK_SECRETS, or with _FILE, for "default"), or name another one with --secret-env`,
        );
      }
      const toSend = { to, body: bodyOf(context, flags), event, credentials, json };
      return flags.forge === true ? sendForgeries(context, toSend) : sendGenuine(context, toSend);
    }),
  );
}

async function sendGenuine(context: CliContext, { to, body, event, credentials, json }: ToSend): Promise<ExitCode> {
  const answer = await postDelivery(to, { body, headers: genuineHeaders(body, credentials, event) });
  const accepted = isSuccess(answer.status);
  const text = `${answer.status} ${accepted ? 'accepted' : 'refused'}: ${printable(answer.body, MOST_OF_ANSWER)}`;
  print(context, json, { ...answer, accepted }, text);
  return accepted ? EXIT.ok : EXIT.failed;
}

/** Refuses plain HTTP, which would send the token in clear. An error never repeats an address with a password. Pure. */
function parseReceiver(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw usageError('--to: seen an address with a user or password in it; expected one without');
  }
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))) {
    const seen = url?.protocol === 'http:' ? `"${url.origin}${url.pathname}"` : 'no web address';
    throw usageError(`--to: seen ${seen}; expected an https URL, or http on this machine`);
  }
  return url;
}

function bodyOf({ cwd }: CliContext, { file, event, id, cnj, requestId }: Flags): Buffer {
  if (file !== undefined) {
    if (id !== undefined || cnj !== undefined || requestId !== undefined) {
      throw usageError('--file is the whole body: --id, --cnj and --request-id belong to one that is made');
    }
    const body = readBodyFile(cwd, file);
    if (body.length === 0) throw usageError(`${file}: is empty; expected the body of a delivery`);
    return body;
  }
  const digits = cnj === undefined ? undefined : cnjDigits(cnj);
  if (cnj !== undefined && digits === undefined) {
    throw usageError(
      `--cnj: seen "${cnj.slice(0, 30)}"; expected a case number, 20 digits with or without punctuation`,
    );
  }
  return buildEventBody({ event, id, cnj: digits, requestId });
}
