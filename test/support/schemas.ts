/** The shipped JSON Schemas, compiled. They allow new members; here they are closed, so a member without a schema is an error. */
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '..', '..', 'schemas');
const ajv = new Ajv({ allErrors: true, strictTypes: false });
addFormats(ajv);
const compiled = new Map<string, ValidateFunction>();

export interface SchemaIndex {
  readonly flows: Readonly<Record<string, { readonly input: string; readonly result: string }>>;
  readonly signals: Readonly<Record<string, { readonly input: string }>>;
  readonly updates: Readonly<Record<string, { readonly input: string; readonly result: string }>>;
  readonly queries: Readonly<Record<string, { readonly result: string }>>;
  readonly failure: { readonly details: string; readonly types: readonly string[] };
}

export const SCHEMAS = readSchema('index.json') as SchemaIndex;

export function readSchema(file: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}

/** What is wrong with a value by a schema, as texts; empty when nothing is. */
export function problemsBy(file: string, value: unknown): readonly string[] {
  const validate = compiled.get(file) ?? ajv.compile(closed(readSchema(file)) as object);
  compiled.set(file, validate);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const isNamed = inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner);
  return isNamed ? { ...inner, additionalProperties: false } : inner;
}
