/**
 * The service's own signer (interface "Delivery headers"), written from the interface and sharing no line with the
 * receiver. Pure.
 */
import { createHmac } from 'node:crypto';
import type { WebhookConfig } from '../settings.js';

export interface DeliveryFacts {
  readonly event: string;
  readonly deliveryId: string;
  readonly nowMs: number;
  /** The exact bytes that will be sent. */
  readonly body: Buffer;
}

export function buildDeliveryHeaders(
  facts: DeliveryFacts,
  config: Pick<WebhookConfig, 'secret' | 'secretForm' | 'token'>,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhook/1.0',
    'X-Service-Event': facts.event,
    'X-Service-Delivery-Id': facts.deliveryId,
    'X-Service-Timestamp': String(Math.floor(facts.nowMs / 1_000)),
    ...(config.token === undefined ? {} : { Authorization: `Bearer ${config.token}` }),
    ...(config.secret === undefined
      ? {}
      : { 'X-Service-Signature': `sha256=${signBody(facts.body, config.secret, config.secretForm)}` }),
  };
}

export function signBody(body: Buffer, secret: string, form: 'utf8' | 'hex'): string {
  return createHmac('sha256', Buffer.from(secret, form)).update(body).digest('hex');
}
