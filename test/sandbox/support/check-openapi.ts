/** Checks answers against the sandbox's own OpenAPI description, with ajv for JSON Schema 2020-12. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { send, type Caller, type Reply } from './client.js';

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
export interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

export interface Checker {
  readonly description: OpenApi;
  readonly operations: ReadonlyMap<string, OpenApiOperation>;
  /** What is wrong with this answer of this operation; empty when nothing is. */
  problems(operation: string, reply: Reply): readonly string[];
}

export async function checkerOf(sandbox: Caller): Promise<Checker> {
  const description = (await send(`${sandbox.url}/openapi.json`)).json as unknown as OpenApi;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'api', components: description.components });
  const compiled = new Map<string, ValidateFunction>();
  const operations = new Map(
    Object.values(description.paths).flatMap((path) =>
      Object.values(path).map((operation): [string, OpenApiOperation] => [operation.operationId, operation]),
    ),
  );
  const compile = (key: string, schema: object): ValidateFunction => {
    const cached = compiled.get(key);
    if (cached !== undefined) return cached;
    const text = JSON.stringify(schema).replaceAll('#/components', 'api#/components');
    const validator = ajv.compile(JSON.parse(text) as object);
    compiled.set(key, validator);
    return validator;
  };
  return {
    description,
    operations,
    problems(operation, reply) {
      const response = operations.get(operation)?.responses[reply.status];
      if (response === undefined) return [`${operation}: status ${reply.status} is not described`];
      const type = String(reply.headers['content-type']).split(';')[0] ?? '';
      const schema = response.content[type]?.schema;
      if (schema === undefined) return [`${operation} ${reply.status}: type ${type} is not described`];
      if (type !== 'application/json') return [];
      const validate = compile(`${operation} ${reply.status}`, schema);
      if (validate(reply.json)) return [];
      return (validate.errors ?? []).map(
        (error) => `${operation} ${reply.status} ${error.instancePath} ${error.message ?? ''}`,
      );
    },
  };
}
