/** The counterpart of `verify.ts`, for our tests and for users who test their own setup. The sandbox has its own signer. */
import { present } from '../contract/index.js';
import { createHmac } from 'node:crypto';
import type { SecretForm } from './types.js';

/** Signs a body as the service does: `sha256=` + 64 lower-case hex digits over the bytes. To test a receiver. */
export function signBody(body: Buffer, secret: string, form: SecretForm = 'utf8'): string {
  return `sha256=${createHmac('sha256', Buffer.from(secret, form)).update(body).digest('hex')}`;
}

/** Headers of a delivery as the service sends them (interface "Delivery headers"). */
export function buildDeliveryHeaders(delivery: {
  readonly body: Buffer;
  readonly secret?: string;
  readonly secretForm?: SecretForm;
  readonly token?: string;
  readonly event?: string;
  readonly deliveryId?: string;
  readonly timestampSeconds?: number;
}): Readonly<Record<string, string>> {
  const { body, secret, secretForm, token, event, deliveryId, timestampSeconds } = delivery;
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    ...present({ 'x-service-event': event, 'x-service-delivery-id': deliveryId }),
    ...(timestampSeconds === undefined ? {} : { 'x-service-timestamp': String(timestampSeconds) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(secret === undefined ? {} : { 'x-service-signature': signBody(body, secret, secretForm) }),
  };
}
