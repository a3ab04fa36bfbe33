/** OpenTelemetry's SDK is loaded only when traces are on. Its API is also loaded by `prom-client`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packPackage, runNode, type Consumer } from './pack-package.js';

/** Creates the plugin and configures a bundler and a worker with it. Nothing connects before the worker runs. */
const SCRIPT = `
  const { TramitaPlugin, createBridge, loadTemporalConnection, resolveConfig } = require('tramita');
  const env = {
    TRAMITA_API_URL: 'http://127.0.0.1:1',
    TRAMITA_API_KEY: 'key',
    TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
    TRAMITA_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d',
    ...JSON.parse(process.argv[2]),
  };
  const log = { info() {}, warn() {}, error() {} };
  const plugin = new TramitaPlugin({ config: resolveConfig({ env }), temporal: loadTemporalConnection(env), log });
  const modules = plugin.configureBundler({ workflowsPath: 'x' }).workflowInterceptorModules ?? [];
  const { interceptors, sinks } = plugin.configureWorker(plugin.configureWorker({ taskQueue: 'q', workflowsPath: 'x' }));
  console.log(
    Object.keys(require.cache).some((file) => /@opentelemetry.(?!api.)/.test(file)),
    modules.length,
    interceptors?.activity?.length ?? 0,
    interceptors?.workflowModules?.length ?? 0,
    Object.keys(sinks ?? {}).length,
  );
  process.exit(0);
`;

describe('the SDK of OpenTelemetry', () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = packPackage();
    writeFileSync(join(consumer.folder, 'traces.cjs'), SCRIPT);
  });
  afterAll(() => consumer.remove());
  const loaded = (env: object): string => runNode(consumer, ['traces.cjs', JSON.stringify(env)]).trim();

  it('is not loaded and adds nothing to a worker when no collector is named', () => {
    expect(loaded({})).toBe('false 0 0 0 0');
  });

  it('is loaded when a collector is named, and added once however often the plugin is applied', () => {
    expect(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toBe('true 1 1 1 1');
  });
});
