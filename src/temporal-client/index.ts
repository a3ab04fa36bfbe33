/**
 * Door of the client's connections to Temporal. Separate from the workers, so that a command or a bridge loads no native core.
 * The starters say what is sent over a connection.
 */
export { attentionOf, attributeOf } from './attribute-of.js';
export { connectClient, connectClientNow } from './connect-client.js';
export { createDataConverter, createLenientDataConverter, createReplayDataConverter } from './data-converter.js';
export { isSettledVersion, letInCommand, readRouting } from './deployment-version.js';
export { hasGrpcCode, isNotFound, unlessGone } from './grpc-code.js';
export { createLateConverter, type LateConverter } from './late-converter.js';
export { createPayloadCodec, openPayload } from './payload-codec.js';
export { countPollers } from './pollers.js';
export { connectionProblem, isRefused, noNamespaceText, refusedText } from './connection-problem.js';
export { aboutNamespace, KEYWORD, missingSearchAttributes, notRegisteredText } from './search-attributes.js';
export { findMissingKey } from './unreadable-flow.js';
