/** `tramita webhook`: tests a receiver (`send`) or a payload (`verify`) by hand. Secrets are never printed. */
import type { Command } from 'commander';
import type { CommandSetup } from '../context.js';
import { addWebhookSend } from './webhook-send.js';
import { addWebhookVerify } from './webhook-verify.js';

export function addWebhookCommand(program: Command, setup: CommandSetup): void {
  const webhook = program.command('webhook').description('try a webhook receiver, or a payload, by hand');
  addWebhookSend(webhook, setup);
  addWebhookVerify(webhook, setup);
}
