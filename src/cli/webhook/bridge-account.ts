/** What the bridge takes of an account of the configuration. Pure. */
import type { BridgeAccount } from '../../bridge/index.js';
import type { AccountConfig } from '../../config/index.js';

export function bridgeAccount({ webhookSecrets, webhookSecretForm, webhookTokens }: AccountConfig): BridgeAccount {
  return { secrets: webhookSecrets, secretForm: webhookSecretForm, tokens: webhookTokens };
}
