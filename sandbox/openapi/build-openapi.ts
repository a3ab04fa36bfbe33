/**
 * OpenAPI 3.1 of the service, generated from the operation catalogue: paths, parameters by kind, answers by the
 * contract's loose schemas, the errors of the interface. Whatever the interface does not show is left open. Pure.
 */
import { z } from 'zod';
import {
  ANSWER_SCHEMAS,
  OPERATIONS,
  pendingSchema,
  type Operation,
  type OperationParameter,
  present,
} from '../../src/contract/index.js';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const PARAMETERS: Readonly<Record<OperationParameter['kind'], Schema>> = {
  cnj: { ...text, description: 'CNJ case number, masked or 20 digits, with right check digits' },
  'request id': { ...text, format: 'uuid' },
  'cpf or cnpj': { ...text, description: 'CPF or CNPJ, masked or bare, with right check digits' },
  'oab number': { ...text, pattern: '^0*[1-9]\\d{0,6}$' },
  'oab state': { ...text, pattern: '^[A-Z]{2}$' },
  'oab list': { ...text, description: '<UF>:<number> pairs, comma-separated' },
  'civil date': { ...text, format: 'date' },
  year: { ...text, pattern: '^(19|20)\\d{2}$' },
  'positive integer': { type: 'integer', minimum: 1 },
  amount: { ...text, pattern: '^\\d+(\\.\\d{1,4})?$' },
  text: { ...text, minLength: 1 },
  'text list': { type: 'array', items: text },
  choice: text,
  id: { ...text, minLength: 1 },
  'id list': { type: 'array', items: { type: ['string', 'integer'] } },
  'webhook url': { ...text, format: 'uri', pattern: '^https://' },
};
const ERRORS: Readonly<Record<string, string>> = {
  400: 'Bad request',
  401: 'The key is missing or not valid',
  402: 'Insufficient balance',
  403: 'The key may not do this',
  404: 'Not found',
  422: 'Unprocessable',
  429: 'Too many requests',
  500: 'Internal error',
};

export function buildOpenApi(serverUrl: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Judicial Records Data Service (sandbox)',
      version: '1.0.0',
      description: 'Generated from the operation catalogue. All data is fictional.',
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
        Pending: jsonSchema(pendingSchema),
        Error: {
          type: 'object',
          required: ['error'],
          properties: { error: { type: 'object', required: ['code'], properties: { code: text, message: text } } },
        },
        LegacyError: { type: 'object', required: ['error'], properties: { error: text } },
      },
    },
  };
}

function describe(operation: Operation): Schema {
  const inBody = operation.parameters.filter((parameter) => parameter.in === 'body');
  const hasBody = operation.method === 'POST' || operation.method === 'PUT';
  const parameters = operation.parameters
    .filter((parameter) => parameter.in !== 'body')
    .map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      schema: schemaOf(parameter),
    }));
  return {
    operationId: operation.id,
    summary: operation.id,
    description: `Source: interface, ${operation.source}`,
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    'x-charge': operation.charge,
    ...present({ 'x-price': operation.price }),
    parameters,
    ...(hasBody ? { requestBody: requestBody(inBody) } : {}),
    responses: responses(operation),
  };
}

function schemaOf({ kind, values }: OperationParameter): Schema {
  return kind === 'choice' && values !== undefined ? { ...text, enum: values } : PARAMETERS[kind];
}

function requestBody(members: readonly OperationParameter[]): Schema {
  // Lists of registrations are a real array in a body.
  const schema = (parameter: OperationParameter): Schema =>
    parameter.kind === 'oab list' ? PARAMETERS['text list'] : schemaOf(parameter);
  const required = members.filter((parameter) => parameter.required).map(({ name }) => name);
  const properties = Object.fromEntries(members.map((parameter) => [parameter.name, schema(parameter)]));
  return json({ type: 'object', properties, ...(required.length === 0 ? {} : { required }) });
}

function responses(operation: Operation): Schema {
  const answer = ANSWER_SCHEMAS[operation.id];
  const success =
    answer === null
      ? { content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } }
      : json(jsonSchema(answer));
  const created = operation.id === 'createRadar' || operation.id === 'createCaseMonitor';
  const answersOnly202 = operation.id === 'requestRefresh' || operation.id === 'requestSummary';
  const error = operation.answer === 'legacy' ? 'LegacyError' : 'Error';
  return {
    ...(answersOnly202 ? {} : { [created ? '201' : '200']: { description: 'Success', ...success } }),
    ...(operation.method === 'DELETE' ? { 204: { description: 'Success, without a body' } } : {}),
    ...(operation.eligible202 ? { 202: { description: 'Pending', ...json(reference('Pending')) } } : {}),
    ...Object.fromEntries(
      Object.entries(ERRORS).map(([status, description]) => [status, { description, ...json(reference(error)) }]),
    ),
  };
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Schema): Schema {
  return { content: { 'application/json': { schema } } };
}

function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  return rest;
}
