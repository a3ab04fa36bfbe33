/**
 * `deploy/kubernetes/`, read as data: valid by the schemas of Kubernetes, within our own rules, and equal to
 * `docker-compose.yml` in commands, variables and secrets. Nothing is applied, and no cluster is needed.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../src/config/env-names.js';
import {
  bridgeProblems,
  codecProblems,
  loadCodecConfig,
  resolveConfig,
  type ConfigOverrides,
  workerProblems,
} from '../../src/config/index.js';
import { CHARGED_GRACE_MS } from '../../src/contract/values/index.js';
import { kubernetesTools } from '../support/kubernetes-tools.js';
import { readText, REPOSITORY } from './read-docs.js';

interface Container {
  readonly args: readonly string[];
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<'cpu' | 'memory', string>>>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface SecretVolume {
  readonly secretName: string;
  readonly optional?: boolean;
  readonly items?: readonly { readonly key: string; readonly path: string }[];
}

interface Pod {
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly secret?: SecretVolume }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: Pod;
    };
    readonly [member: string]: unknown;
  };
}

const ROOT = join('deploy', 'kubernetes');
const SCHEMA = join(__dirname, 'kubernetes-schema', 'kubernetes.json');
const FOLDERS = ['.', 'migrate'];
const manifests: readonly Manifest[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(REPOSITORY, ROOT, folder))
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(readText(ROOT, folder, file)).map((each) => each.toJS() as Manifest)),
);
const compose = parse(readText('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[];
        readonly secrets?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
      }
    >
  >;
};
const OURS = ['migrate', 'worker', 'bridge', 'codec-server'] as const;
type Program = (typeof OURS)[number];

const workload = (program: Program): NonNullable<NonNullable<Manifest['spec']>['template']> => {
  const found = manifests.find(
    ({ metadata, spec }) => metadata.name === `tramita-${program}` && spec?.template !== undefined,
  );
  if (found?.spec?.template === undefined) throw new Error(`deploy/kubernetes has no workload tramita-${program}`);
  return found.spec.template;
};
const container = (program: Program): Container => workload(program).spec.containers[0];
const secretOf = (program: Program): SecretVolume | undefined =>
  workload(program).spec.volumes.find(({ name }) => name === 'secrets')?.secret;
/** Variables of a container. Those from the generated ConfigMap of Temporal have no value here and count as `default`. */
const environmentOf = (program: Program): Readonly<Record<string, string>> =>
  Object.fromEntries(container(program).env.map(({ name, value = 'default' }) => [name, value]));
const CONFIG_PATH = '/etc/tramita/tramita.json';

describe('the manifests of deploy/kubernetes', () => {
  const tools = kubernetesTools();
  if ('problem' in tools) process.stderr.write(`skipped: schemas of deploy/kubernetes: ${tools.problem}\n`);
  const itWithTools = 'problem' in tools ? it.skip : it;
  const built = (folder: string): string => ('problem' in tools ? '' : tools.build(join(REPOSITORY, ROOT, folder)));
  const problemsOf = (objects: string): string => ('problem' in tools ? '' : tools.problemsOf(objects, SCHEMA));

  itWithTools.each(FOLDERS)('are valid by the schemas of Kubernetes: %s', (folder) => {
    const objects = built(folder);
    expect(objects).toContain('namespace: tramita');
    expect(objects).toMatch(/image: registry\.example\.com\/tramita:\d/);
    expect(problemsOf(objects)).toBe('');
  });

  itWithTools('are invalid with an unknown member or an unknown kind', () => {
    const objects = built('.');
    expect(problemsOf(objects.replace('terminationGracePeriodSeconds', 'terminationGracePeriod'))).toContain(
      "additional properties 'terminationGracePeriod' not allowed",
    );
    expect(problemsOf(objects.replace('kind: Deployment', 'kind: Deploiment'))).not.toBe('');
  });

  it('name the version of the package in both folders', () => {
    const { version } = JSON.parse(readText('package.json')) as { version: string };
    const images = FOLDERS.map((folder) => parse(readText(ROOT, folder, 'kustomization.yaml')) as { images: unknown });
    for (const { images: set } of images)
      expect(set).toEqual([expect.objectContaining({ name: 'tramita', newTag: version })]);
    for (const program of OURS) expect(container(program).image).toBe('tramita');
  });
});

describe('deploy/kubernetes compared with docker-compose.yml', () => {
  it.each(OURS)('runs %s with the same command', (program) => {
    expect(container(program).args).toEqual(compose.services[program]?.command);
  });

  it.each(OURS)('gives %s the same secrets, only as files and only by reference', (program) => {
    const secret = secretOf(program);
    expect(secret?.secretName).toBe(`tramita-${program}`);
    expect(secret?.items?.map(({ key, path }) => [key, path]).sort()).toEqual(
      [...(compose.services[program]?.secrets ?? [])].sort().map((name) => [name, name]),
    );
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const files = container(program).env.filter(({ name }) => name.endsWith('_FILE'));
    expect(files.map(({ value }) => value).sort()).toEqual(
      secret?.items?.map(({ path }) => `/run/secrets/tramita/${path}`).sort(),
    );
    const mount = container(program).volumeMounts.find(({ name }) => name === 'secrets');
    expect(mount).toEqual({ name: 'secrets', mountPath: '/run/secrets/tramita', readOnly: true });
  });

  it.each(OURS)('sets for %s the same secret variables', (program) => {
    const composed = Object.keys(compose.services[program]?.environment ?? {}).filter((name) => name.endsWith('_FILE'));
    expect(
      Object.keys(environmentOf(program))
        .filter((name) => name.endsWith('_FILE'))
        .sort(),
    ).toEqual(composed.sort());
  });
});

describe('deploy/kubernetes', () => {
  it('rolls a changed setting or secret out to every worker, the first one included', () => {
    const worker = manifests.find(({ kind }) => kind === 'StatefulSet');
    expect(worker?.spec?.['updateStrategy']).toEqual({ rollingUpdate: { partition: 0 } });
  });

  it('sets only variables that the configuration knows, and secrets only as files', () => {
    const known = new Set(VARIABLES.map(({ name, secret }) => (secret ? `${name}_FILE` : name)));
    const set = OURS.flatMap((program) => Object.keys(environmentOf(program)));
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    expect(set.length).toBeGreaterThan(15);
    const temporal = readText(ROOT, 'temporal.env').match(/^[A-Z_]+(?==)/gm);
    expect(temporal).toEqual(['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE']);
  });

  it('sets what each program needs to start', () => {
    const readFile = (path: string): string => {
      if (path === CONFIG_PATH) return readText(ROOT, 'tramita.json');
      if (path.endsWith('/payload_keys')) return `k1:${Buffer.alloc(32, 1).toString('base64')}`;
      if (path.endsWith('_url')) return 'postgresql://user:password@postgresql:5432/tramita';
      return 's'.repeat(64);
    };
    const resolved = (program: Program, overrides: ConfigOverrides = {}) =>
      resolveConfig({ env: environmentOf(program), readFile, fileMode: () => 0o600, overrides });
    expect(() => resolved('migrate')).not.toThrow();
    expect(workerProblems(resolved('worker'))).toEqual([]);
    expect(bridgeProblems(resolved('bridge', { withoutApiKeys: true, behindProxy: true }))).toEqual([]);
    const plain = Object.entries(environmentOf('codec-server')).filter(([name]) => !name.endsWith('_FILE'));
    const codec = loadCodecConfig({
      ...Object.fromEntries(plain),
      TRAMITA_CODEC_DATABASE_URL: readFile('codec_database_url'),
      TRAMITA_CODEC_TOKENS: `me:${'0'.repeat(64)}`,
    });
    expect(codecProblems(codec, { hasKeys: true, behindProxy: true })).toEqual([]);
  });

  it('gives a worker longer to stop than it waits for a charged call, and a bridge longer than it still takes webhooks', () => {
    expect((workload('worker').spec.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(CHARGED_GRACE_MS);
    const { terminationGracePeriodSeconds = 0 } = workload('bridge').spec;
    const sleeps = container('bridge').lifecycle?.preStop.sleep.seconds ?? 0;
    expect(sleeps).toBeGreaterThan(0);
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleeps + 30);
  });

  it('keeps the volume of each worker, even when workers are scaled down', () => {
    const stateful = manifests.find(({ kind }) => kind === 'StatefulSet');
    expect(stateful?.spec).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'files' } }],
    });
    const { mountPath } = container('worker').volumeMounts.find(({ name }) => name === 'files') ?? { mountPath: '-' };
    expect(environmentOf('worker')['TRAMITA_FILES_DIR']).toMatch(new RegExp(`^${mountPath}/`));
  });

  it('keeps a bridge available while a node is drained', () => {
    const budget = manifests.find(({ kind }) => kind === 'PodDisruptionBudget');
    const bridge = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tramita-bridge');
    expect(budget?.spec).toMatchObject({
      minAvailable: 1,
      selector: { matchLabels: workload('bridge').metadata.labels },
    });
    expect(bridge?.spec?.['replicas']).toBeGreaterThan(1);
  });

  it.each(['worker', 'bridge', 'codec-server'] as const)('probes %s where it listens', (program) => {
    const { livenessProbe, readinessProbe, ports = [], env } = container(program);
    expect(livenessProbe?.httpGet.path).toBe('/healthz');
    expect(readinessProbe?.httpGet.path).toBe('/readyz');
    expect(readinessProbe?.httpGet.port).toBe(livenessProbe?.httpGet.port);
    const listens = env.flatMap(({ name, value = '' }) => (name.endsWith('_LISTEN') ? [value] : []));
    expect(ports.map(({ containerPort }) => `0.0.0.0:${containerPort}`).sort()).toEqual(listens.sort());
    const probed = ports.find(({ name }) => name === readinessProbe?.httpGet.port);
    expect(probed).toBeDefined();
    const { annotations } = workload(program).metadata;
    if (program === 'codec-server') expect(annotations).toBeUndefined();
    else {
      expect(annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(probed?.containerPort),
        'prometheus.io/path': '/metrics',
      });
    }
  });

  it.each(OURS)('runs %s with minimal rights and within resource limits', (program) => {
    const [, user = ''] = /^USER (\d+):/m.exec(readText('Dockerfile')) ?? [];
    expect(workload(program).spec).toMatchObject({
      automountServiceAccountToken: false,
      // Otherwise Kubernetes adds variables like TRAMITA_BRIDGE_PORT, and every program refuses to start.
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: Number(user), seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
    const { requests, limits } = container(program).resources;
    for (const set of [requests, limits]) expect(Object.keys(set).sort()).toEqual(['cpu', 'memory']);
  });

  it('denies all network traffic except between named components, to ports that exist', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
    expect(policies).toContainEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const allowing = policies.filter((spec) => spec?.['ingress'] !== undefined || spec?.['egress'] !== undefined);
    expect(allowing.length).toBeGreaterThan(5);
    for (const spec of allowing) expect(spec?.['podSelector']).not.toEqual({});
    const text = JSON.stringify(allowing);
    const components = new Set(text.match(/"(?:migrate|worker|bridge|codec-server)"/g));
    expect([...components].sort()).toEqual(['"bridge"', '"codec-server"', '"worker"']);
    const ports = OURS.flatMap((program) => container(program).ports ?? []).map(({ name }) => name);
    const opened = [...text.matchAll(/"port":"(\w+)"/g)].map(([, name]) => name);
    expect(new Set(opened)).toEqual(new Set(ports));
  });
});
