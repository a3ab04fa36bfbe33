/**
 * The secrets and tokens that sign and check deliveries: those of an account, as the bridge sees them, or those in two named
 * variables, for a receiver with its own secrets. Never values of the command line, which others can read, and no API key.
 */
import { Option, type Command } from 'commander';
import type { BridgeAccount } from '../../bridge/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import type { CliContext } from '../context.js';
import { usageError } from '../exit-codes.js';
import { accountNamed } from '../input/account.js';
import { readConfig } from '../with/settings.js';
import type { AccountConfig } from '../../config/index.js';

export interface CredentialFlags {
  readonly account: string;
  readonly secretEnv?: string;
  readonly tokenEnv?: string;
}

export function addCredentialFlags(command: Command): Command {
  return command
    .option('--account <name>', 'whose secrets and tokens count', DEFAULT_ACCOUNT)
    .addOption(
      new Option(
        '--secret-env <variable>',
        'the secret in this variable instead, or in the file that <variable>_FILE names',
      ).conflicts('account'),
    )
    .addOption(
      new Option(
        '--token-env <variable>',
        'the token in this variable instead; nothing of an account is used then',
      ).conflicts('account'),
    );
}

export function webhookAccount(context: Pick<CliContext, 'env'>, flags: CredentialFlags): BridgeAccount {
  return flags.secretEnv === undefined && flags.tokenEnv === undefined
    ? accountOf(context, flags.account)
    : namedAccount(context, flags);
}

/** Problems name the variable that holds the value, not the one that the configuration reads. */
function namedAccount(context: Pick<CliContext, 'env'>, flags: CredentialFlags): BridgeAccount {
  try {
    return accountOf({ env: envOf(context, flags) }, DEFAULT_ACCOUNT);
  } catch (error) {
    const { message } = error as Error;
    throw usageError(
      message
        .replaceAll('TRAMITA_WEBHOOK_SECRETS', flags.secretEnv ?? '')
        .replaceAll('TRAMITA_WEBHOOK_TOKENS', flags.tokenEnv ?? ''),
    );
  }
}

function accountOf(context: Pick<CliContext, 'env'>, name: string): BridgeAccount {
  return bridgeAccount(accountNamed(readConfig(context, { withoutApiKeys: true }), name));
}

/** An environment with only these values, under the names that the configuration reads. Pure. */
function envOf({ env }: Pick<CliContext, 'env'>, { secretEnv, tokenEnv }: CredentialFlags): CliContext['env'] {
  const renamed = (flag: string, name: string | undefined, as: string): CliContext['env'] => {
    if (name === undefined) return {};
    const [value = '', file = ''] = [env[name], env[`${name}_FILE`]];
    if (value === '' && file === '') throw usageError(`${flag}: neither ${name} nor ${name}_FILE is set`);
    return { [as]: value, [`${as}_FILE`]: file };
  };
  return {
    TRAMITA_WEBHOOK_SECRET_FORM: env['TRAMITA_WEBHOOK_SECRET_FORM'],
    ...renamed('--secret-env', secretEnv, 'TRAMITA_WEBHOOK_SECRETS'),
    ...renamed('--token-env', tokenEnv, 'TRAMITA_WEBHOOK_TOKENS'),
  };
}

/** The part of a configured account that the bridge uses. */
export function bridgeAccount({ webhookSecrets, webhookSecretForm, webhookTokens }: AccountConfig): BridgeAccount {
  return { secrets: webhookSecrets, secretForm: webhookSecretForm, tokens: webhookTokens };
}
