/**
 * Whether traces are wanted, and in which form. These variables of OpenTelemetry must be known before it is loaded; it reads the
 * others itself.
 */
import type { Env } from './env-reader.js';

/** How spans are written to a collector. */
export type TraceProtocol = 'http/protobuf' | 'http/json';

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
const CURE = 'or OTEL_TRACES_EXPORTER=none, which switches traces off';

/** Undefined: no traces. Unusable settings are added to `problems`. */
export function readTraceProtocol(env: Env, problems: string[]): TraceProtocol | undefined {
  const endpoint = ENDPOINTS.find((name) => textOf(env, name) !== '');
  const isOff = textOf(env, 'OTEL_SDK_DISABLED').toLowerCase() === 'true';
  if (endpoint === undefined || isOff || textOf(env, 'OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const address = textOf(env, endpoint);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    problems.push(
      `${endpoint}: seen a text that is not an http or https address; expected that of a collector, ${CURE}`,
    );
    return undefined;
  }
  const variable = PROTOCOLS.find((name) => textOf(env, name) !== '');
  const protocol = variable === undefined ? 'http/protobuf' : textOf(env, variable);
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  problems.push(`${variable ?? ''}: seen "${protocol.slice(0, 20)}"; expected http/protobuf or http/json, ${CURE}`);
  return undefined;
}

/** Blank counts as unset, as OpenTelemetry says. */
function textOf(env: Env, name: string): string {
  return env[name]?.trim() ?? '';
}
