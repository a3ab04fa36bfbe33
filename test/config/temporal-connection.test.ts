import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { loadTemporalConnection } from '../../src/config/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder('config');

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('loadTemporalConnection', () => {
  it('defaults to 127.0.0.1:7233, namespace "default" and no TLS', () => {
    const connection = loadTemporalConnection({ HOME: folder });
    expect(connection).toEqual({
      address: '127.0.0.1:7233',
      namespace: 'default',
      connectionOptions: { address: '127.0.0.1:7233' },
    });
  });

  it('takes address, namespace and API key from the environment, and uses TLS with a key', () => {
    const connection = loadTemporalConnection({
      HOME: folder,
      TEMPORAL_ADDRESS: 'cloud.example.com:7233',
      TEMPORAL_NAMESPACE: 'cases',
      TEMPORAL_API_KEY: 'canary',
    });
    expect(connection).toEqual({
      address: 'cloud.example.com:7233',
      namespace: 'cases',
      connectionOptions: { address: 'cloud.example.com:7233', apiKey: 'canary', tls: true },
    });
    // Both connections of the SDK accept these options (a check by the compiler).
    const options: [ConnectionOptions, NativeConnectionOptions] = [
      connection.connectionOptions,
      connection.connectionOptions,
    ];
    expect(options).toHaveLength(2);
  });

  it('gives the environment precedence over the profile file, and treats empty variables as unset', () => {
    const toml = file('ok.toml', '[profile.default]\naddress = "file:1"\nnamespace = "from-file"\n');
    expect(
      loadTemporalConnection({ TEMPORAL_CONFIG_FILE: toml, TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: 'from-env' }),
    ).toMatchObject({
      address: 'file:1',
      namespace: 'from-env',
    });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1:7233'],
    ['temporal.example.com', 'temporal.example.com:7233'],
    ['[::1]', '[::1]:7233'],
    ['[::1]:7000', '[::1]:7000'],
    ['localhost:65535', 'localhost:65535'],
  ])('completes the address %s to %s', (given, address) => {
    const connection = loadTemporalConnection({ HOME: folder, TEMPORAL_ADDRESS: given });
    expect(connection).toMatchObject({ address, connectionOptions: { address } });
  });

  it.each([
    ['http://127.0.0.1:7233', '"http://127.0.0.1:7233"'],
    ['127.0.0.1:', '"127.0.0.1:"'],
    ['127.0.0.1:0', '"127.0.0.1:0"'],
    ['127.0.0.1:70000', '"127.0.0.1:70000"'],
    ['127.0.0.1:port', '"127.0.0.1:port"'],
    ['127.0.0.1:7233/', '"127.0.0.1:7233/"'],
    ['::1:7233', '"::1:7233"'],
    ['https://me:canary@cloud.example.com:7233', '"…@cloud.example.com:7233"'],
  ])('refuses the address %s with what it saw and what it expects', (given, seen) => {
    const load = (): unknown => loadTemporalConnection({ HOME: folder, TEMPORAL_ADDRESS: given });
    expect(load).toThrow(
      `tramita: TEMPORAL_ADDRESS (or address of the profile): seen ${seen}; expected host:port without a scheme, like 127.0.0.1:7233 (TEMPORAL_TLS=true for TLS)`,
    );
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a missing profile file',
      () => ({ TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }),
      /names a file that does not exist/,
    ],
    [
      'a malformed file that holds a key',
      () => ({ TEMPORAL_CONFIG_FILE: file('bad.toml', '[profile.default]\napi_key = canary\n') }),
      /it is malformed/,
    ],
    [
      'an unknown profile',
      () => ({ TEMPORAL_CONFIG_FILE: file('p.toml', ''), TEMPORAL_PROFILE: 'prod' }),
      /cannot be read/,
    ],
    [
      'a missing certificate file',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: '/none/c', TEMPORAL_TLS_CLIENT_KEY_PATH: '/none/k' }),
      /ENOENT/,
    ],
    ['half a certificate', () => ({ TEMPORAL_TLS_CLIENT_CERT_DATA: 'canary' }), /only half of the client certificate/],
  ])('refuses %s without quoting it', (_title, env, line) => {
    const read = () => loadTemporalConnection({ HOME: folder, ...env() });
    expect(read).toThrow(line);
    expect(read).not.toThrow(/canary/);
  });
});
