/**
 * `tramita webhook verify`: is this body, with these headers, authentic under the account's secrets? The bridge's own code
 * decides. A refusal names the check that failed, and the correction if a usual mistake explains it.
 */
import type { Command } from 'commander';
import { verifyDelivery, type BridgeAccount, type RefusalReason } from '../../bridge/index.js';
import { readWebhookEvent } from '../../contract/index.js';
import { parseStrictJson } from '../../http/index.js';
import type { CliContext, CommandSetup } from '../context.js';
import { EXIT, usageError } from '../exit-codes.js';
import { JSON_OPTION, print, printable, type JsonFlag } from '../output/output.js';
import { readBodyFile } from '../input/read-body.js';
import { addCredentialFlags, webhookAccount, type CredentialFlags } from '../webhook/webhook-account.js';

interface Flags extends CredentialFlags, JsonFlag {
  readonly file: string;
  readonly signature?: string;
  readonly headers?: string;
}

const REASONS: Readonly<Record<RefusalReason, string>> = {
  'not-configured': 'the account has neither a secret nor a token',
  'duplicate-header': 'a header of the service appears twice',
  'signature-missing': 'there is no signature',
  'signature-malformed': 'the signature is not "sha256=" and 64 lower-case hex digits',
  'signature-mismatch': 'no secret of the account gives this signature for this body',
  'token-missing': 'there is no token',
  'token-mismatch': 'the token is not one of the account',
};

export function addWebhookVerify(webhook: Command, { context, run }: CommandSetup): void {
  const verify = webhook
    .command('verify')
    .description('say whether a delivery is authentic, and if not, why')
    .requiredOption('--file <path>', 'the body as it came, byte for byte; - is standard input')
    .option('--signature <value>', 'X-Service-Signature; the token is then not checked')
    .option('--headers <path>', 'all headers as they came, one "name: value" per line')
    .option(...JSON_OPTION);
  addCredentialFlags(verify).action(
    run((flags: Flags) => {
      const body = readBodyFile(context.cwd, flags.file);
      const delivery = deliveryOf(context, flags, body);
      const verdict = verifyDelivery({ ...delivery, insecure: false });
      const event = eventOf(body);
      if (verdict.ok) {
        const secret = numberOfSecret(delivery);
        const text = `authentic${secretText(secret, delivery.account)}${eventText(event)}`;
        print(context, flags.json, { authentic: true, secret, ...event }, text);
        return Promise.resolve(EXIT.ok);
      }
      const hint = hintOf(delivery) ?? null;
      const { reason } = verdict;
      const text = [`not authentic: ${REASONS[reason]}`, ...(hint === null ? [] : [hint])];
      print(context, flags.json, { authentic: false, reason, hint, ...event }, text);
      return Promise.resolve(EXIT.failed);
    }),
  );
}

function deliveryOf(context: CliContext, flags: Flags, body: Buffer): Delivery {
  const { signature, headers } = flags;
  if ((signature === undefined) === (headers === undefined)) throw usageError('give either --signature or --headers');
  const account = webhookAccount(context, flags);
  if (headers !== undefined) {
    return { body, account, rawHeaders: parseHeaders(readBodyFile(context.cwd, headers).toString('latin1')) };
  }
  if (account.secrets.length === 0) {
    throw usageError('there is no webhook secret to check --signature with; for a token alone give --headers');
  }
  return { body, account: { ...account, tokens: [] }, rawHeaders: ['x-service-signature', signature ?? ''] };
}

interface Delivery {
  readonly body: Buffer;
  readonly rawHeaders: readonly string[];
  readonly account: BridgeAccount;
}

/** Number of the secret that matches; 1 is the newest. Null if the account has none. */
function numberOfSecret({ account, ...delivery }: Delivery): number | null {
  const index = account.secrets.findIndex(
    (secret) => verifyDelivery({ ...delivery, account: { ...account, secrets: [secret] }, insecure: false }).ok,
  );
  return index < 0 ? null : index + 1;
}

/** Tries to correct the usual mistakes. */
function hintOf({ body, rawHeaders, account }: Delivery): string | undefined {
  const holds = (changed: Partial<Delivery>): boolean =>
    verifyDelivery({ body, rawHeaders, account, insecure: false, ...changed }).ok;
  const other = account.secretForm === 'utf8' ? 'hex' : 'utf8';
  const LF = Buffer.from('\n');
  const given = headerOf(rawHeaders, 'x-service-signature').trim().toLowerCase();
  const wellFormed = given.startsWith('sha256=') ? given : `sha256=${given}`;
  if (holds({ rawHeaders: withHeader(rawHeaders, 'x-service-signature', wellFormed) })) {
    return 'Written as the service writes it, "sha256=" and lower-case digits, it would be authentic.';
  }
  if (holds({ account: { ...account, secretForm: other } })) {
    return `With TRAMITA_WEBHOOK_SECRET_FORM=${other} it would be authentic.`;
  }
  if (body.at(-1) === 0x0a && holds({ body: body.subarray(0, body.at(-2) === 0x0d ? -2 : -1) })) {
    return 'Without the line end after the body it would be authentic: an editor or a shell has added it.';
  }
  if (holds({ body: Buffer.concat([body, LF]) }))
    return 'With a line end after the body it would be authentic: something has removed it.';
  return undefined;
}

function headerOf(rawHeaders: readonly string[], name: string): string {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? '' : (rawHeaders[at + 1] ?? '');
}

function withHeader(rawHeaders: readonly string[], name: string, value: string): readonly string[] {
  return rawHeaders.map((text, index) =>
    rawHeaders[index - 1]?.toLowerCase() === name && index % 2 === 1 ? value : text,
  );
}

function eventOf(body: Buffer): { readonly eventId: string | null; readonly event: string | null } {
  const parsed = parseStrictJson(body);
  const read = parsed.ok ? readWebhookEvent(parsed.value) : undefined;
  return { eventId: read?.eventId ?? null, event: read?.event ?? null };
}

function eventText({ eventId, event }: { readonly eventId: string | null; readonly event: string | null }): string {
  if (event === null) return '; the body is not a JSON object: the bridge keeps it, and wakes no flow';
  return `; event "${printable(event)}", id ${eventId ?? 'none (its hash identifies it)'}`;
}

function secretText(secret: number | null, { secrets }: BridgeAccount): string {
  if (secret === null) return '';
  return `, signed with secret ${secret} of ${secrets.length}${secret > 1 ? ' (not the newest one)' : ''}`;
}

/** As `curl -i` or a log shows them; lines without a colon are left out. */
function parseHeaders(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
}
