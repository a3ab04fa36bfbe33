/**
 * Makes `kubernetes.json` from the `swagger.json` of Kubernetes: `node make.cjs <swagger.json> <version>`. It keeps the kinds
 * below and what they refer to, drops descriptions, and refuses unknown members, as kubeconform's own strict schemas do.
 */
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.StatefulSet',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
];
/** Written as text or as a number: the document of Kubernetes says only "string". */
const TEXT_OR_NUMBER = [
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
];

const [, , swagger, version] = process.argv;
const { definitions: all } = JSON.parse(readFileSync(swagger, 'utf8'));
const definitions = {};
for (const waiting = [...KINDS]; waiting.length > 0;) {
  const name = waiting.pop();
  if (definitions[name] !== undefined) continue;
  definitions[name] = TEXT_OR_NUMBER.includes(name) ? { type: ['string', 'number'] } : strict(all[name]);
  for (const [, next] of JSON.stringify(definitions[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) waiting.push(next);
}
const kinds = KINDS.map((name) => {
  const [{ group, version: of, kind }] = all[name]['x-kubernetes-group-version-kind'];
  return { name, kind, apiVersion: group === '' ? of : `${group}/${of}` };
});
const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: `Kubernetes ${version}, see README.md`,
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { kind: { enum: kinds.map(({ kind }) => kind) } },
  allOf: kinds.map(({ name, kind, apiVersion }) => ({
    if: { properties: { kind: { const: kind } } },
    then: { $ref: `#/definitions/${name}`, properties: { apiVersion: { const: apiVersion } } },
  })),
  definitions: Object.fromEntries(Object.entries(definitions).sort(([one], [other]) => (one < other ? -1 : 1))),
};
// beside a $ref draft 7 ignores other members
for (const each of schema.allOf)
  each.then = { allOf: [{ $ref: each.then.$ref }, { properties: each.then.properties }] };
writeFileSync(join(__dirname, 'kubernetes.json'), `${JSON.stringify(schema)}\n`);

function strict(value) {
  if (Array.isArray(value)) return value.map(strict);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !key.startsWith('x-kubernetes') && !(key === 'description' && typeof inner === 'string'),
  );
  const copy = Object.fromEntries(kept.map(([key, inner]) => [key, strict(inner)]));
  return isObjectSchema(value) ? { ...copy, additionalProperties: false } : copy;
}

function isObjectSchema({ type, properties, additionalProperties }) {
  return type === 'object' && typeof properties === 'object' && additionalProperties === undefined;
}
