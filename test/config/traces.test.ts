import { resolveConfig } from '../../src/config/index.js';

const HTTP = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const tracesOf = (env: Readonly<Record<string, string>>): unknown => resolveConfig({ env }).traces;

describe('traces', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['off without a collector', {}, undefined],
    ['off with a blank endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
    ['sent as protobuf by default', HTTP, 'http/protobuf'],
    [
      'on with an endpoint for traces alone',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example/v1/traces' },
      'http/protobuf',
    ],
    ['sent as JSON', { ...HTTP, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [
      'sent in the protocol of the variable for traces',
      { ...HTTP, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
      'http/json',
    ],
    [
      'off for OTEL_TRACES_EXPORTER=none, also with grpc',
      { ...HTTP, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'none' },
      undefined,
    ],
    ['off for OTEL_SDK_DISABLED=true', { ...HTTP, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  ])('are %s', (_what, env, protocol) => {
    expect(tracesOf(env)).toBe(protocol);
  });

  it('are refused with the problem and its remedy, but not with the address, which may hold a password', () => {
    expect(() => tracesOf({ ...HTTP, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow(
      'OTEL_EXPORTER_OTLP_PROTOCOL: seen "grpc"; expected http/protobuf or http/json, or OTEL_TRACES_EXPORTER=none',
    );
    let problem = '';
    try {
      tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'user:secret@collector:4317' });
    } catch (error) {
      problem = (error as Error).message;
    }
    expect(problem).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(problem).not.toContain('secret');
  });
});
