/** `TRAMITA_FILES` and related variables: their values, and the messages about wrong values. */
import { describe as show, preflight, resolveConfig, type ConfigError } from '../../src/config/index.js';

const S3 = 's3://court-files/tramita/prod';
const resolve = (env: Readonly<Record<string, string>>) => resolveConfig({ env });

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    resolve(env);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

test('files stay in the directory of the worker without a setting', () => {
  expect(resolve({}).fileStore).toBeUndefined();
  expect(show(resolve({}))).toMatchObject({ filesDir: '.tramita/files', fileStore: null });
});

test.each([
  [{ TRAMITA_FILES: '/mnt/files' }, { kind: 'directory', path: '/mnt/files' }],
  [{ TRAMITA_FILES: 'file:///mnt/my%20files' }, { kind: 'directory', path: '/mnt/my files' }],
  [{ TRAMITA_FILES: 's3://court-files' }, { kind: 's3', bucket: 'court-files', prefix: '', pathStyle: false }],
  [{ TRAMITA_FILES: `${S3}/` }, { kind: 's3', bucket: 'court-files', prefix: 'tramita/prod', pathStyle: false }],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: 'https://s3.example.com/', TRAMITA_FILES_REGION: 'sa-east-1' },
    {
      kind: 's3',
      bucket: 'court-files',
      prefix: 'tramita/prod',
      pathStyle: true,
      endpoint: 'https://s3.example.com',
      region: 'sa-east-1',
    },
  ],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: 'https://s3.example.com', TRAMITA_FILES_PATH_STYLE: 'off' },
    { pathStyle: false },
  ],
])('%j selects the file store', (env, expected) => {
  const config = resolve(env);
  expect(config.fileStore).toMatchObject(expected);
  expect(show(config)).toMatchObject({ fileStore: expected });
});

test.each([
  [{ TRAMITA_FILES: 'files' }, 'TRAMITA_FILES: seen "files"; expected s3://bucket/prefix, or the absolute path'],
  [{ TRAMITA_FILES: 'https://s3.example.com/b' }, 'TRAMITA_FILES: seen a URL of scheme https:; expected s3://bucket'],
  [{ TRAMITA_FILES: 's3://B/x' }, 'TRAMITA_FILES: seen "s3://B/x"; expected s3://bucket/prefix: a bucket of 3 to 63'],
  [{ TRAMITA_FILES: 's3://bucket/../x' }, 'TRAMITA_FILES: seen "s3://bucket/../x"'],
  [{ TRAMITA_FILES: 'file://host/x' }, 'TRAMITA_FILES: seen "file://host/x"'],
  [{ TRAMITA_FILES_REGION: 'sa-east-1' }, 'TRAMITA_FILES_REGION is set, but TRAMITA_FILES names no S3 store'],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_REGION: 'a b' },
    'TRAMITA_FILES_REGION: seen "a b"; expected the name of a region',
  ],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_PATH_STYLE: 'yes' },
    'TRAMITA_FILES_PATH_STYLE: seen "yes"; expected one of on, off',
  ],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: 's3.example.com' },
    'TRAMITA_FILES_ENDPOINT: seen a text that is not a web',
  ],
  [
    { TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: 'https://e.com/b' },
    'TRAMITA_FILES_ENDPOINT: seen https://e.com with more',
  ],
])('resolveConfig refuses %j', (env, expected) => {
  const problems = problemsOf(env);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(expected);
});

test('the problems never show a secret in an address', () => {
  const problems = [
    ...problemsOf({ TRAMITA_FILES: 's3://AKIAKEY:hunter2@bucket/x' }),
    ...problemsOf({ TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: 'https://AKIAKEY:hunter2@s3.example.com' }),
  ];
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toMatch(/AKIAKEY|hunter2/);
  expect(problems.join()).toContain('credentials belong in the environment or the configuration files of AWS');
});

test('preflight warns of plain HTTP to another machine', () => {
  const isWarned = (endpoint: string) =>
    preflight(resolve({ TRAMITA_FILES: S3, TRAMITA_FILES_ENDPOINT: endpoint })).some((line) =>
      line.startsWith('TRAMITA_FILES_ENDPOINT: documents cross the network in plain HTTP'),
    );
  expect([isWarned('http://minio:9000'), isWarned('http://127.0.0.1:9000'), isWarned('https://minio')]).toEqual([
    true,
    false,
    false,
  ]);
});
