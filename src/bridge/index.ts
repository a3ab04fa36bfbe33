/**
 * Door of the bridge: webhooks in, inbox rows and `wake` signals out. It decides which deliveries are authentic and stores them
 * before it confirms them; the inbox matches events with flows. It holds no API key and can spend nothing: no event causes a
 * charged call that a flow was not started for.
 */
export { createBridge, type Bridge } from './create-bridge.js';
export { buildDeliveryHeaders, signBody } from './sign.js';
export type { BridgeAccount, BridgeInbox, BridgeLog, BridgeOptions } from './types.js';
export { verifyDelivery, type RefusalReason, type Verdict } from './verify.js';
export { createSignalWake, deliverWakes, replayPayload, type DeliveredWakes, type SignalWake } from '../wakes/index.js';
