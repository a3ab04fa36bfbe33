/**
 * Writes `schemas/`: what crosses Temporal as JSON Schema (draft 7), for callers in any language. `npm run schemas` writes
 * the files; a test of the rung `package` fails when they differ from this script's output.
 *
 * Two sources, and nothing written by hand. The TypeScript types that users import say which members exist, which are
 * required, and what they mean. The readers of the input's members (`schema` in `src/protocol/inputs/`) say which values
 * they accept.
 */
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createGenerator } = require('ts-json-schema-generator');

const root = path.resolve(__dirname, '..');
const folder = path.join(root, 'schemas');
const protocol = require(path.join(root, 'dist', 'src', 'protocol', 'index.js'));

/** Text of each file, by its name. */
function makeSchemas() {
  const generator = createGenerator({
    path: path.join(root, 'src', 'public-protocol.ts'),
    tsconfig: path.join(root, 'tsconfig.pure.json'),
    expose: 'export',
    topRef: false,
    jsDoc: 'extended',
    additionalProperties: true,
    skipTypeCheck: true,
    encodeRefs: false,
    sortProps: false,
  });
  const schemaOf = (type, title = type) => {
    const { $schema, description, ...rest } = generator.createSchema(type);
    return { $schema, title, ...(description === undefined ? {} : { description }), ...rest };
  };
  const schemas = new Map();
  const flows = {};
  for (const [type, { members, idPrefix, scheduled }] of Object.entries(protocol.FLOWS)) {
    const [input, result] = typesOf(type);
    const files = { input: `${type}.input.json`, result: `${type}.result.json` };
    schemas.set(files.input, inputSchema(schemaOf(input), members));
    schemas.set(files.result, schemaOf(result));
    flows[type] = { ...files, idPrefix, scheduled };
  }
  const message = (name, input, result) => {
    const files = {};
    if (input !== undefined) schemas.set((files.input = `${name}.input.json`), closed(schemaOf(input)));
    if (result !== undefined) schemas.set((files.result = `${name}.result.json`), schemaOf(result));
    return { [name]: files };
  };
  const { SIGNAL_WAKE, UPDATE_SETTLE_CHARGE, UPDATE_RESUME, QUERY_PROGRESS } = protocol;
  schemas.set('failure.json', schemaOf('FailureDetails'));
  schemas.set('index.json', {
    taskQueue: protocol.DEFAULT_TASK_QUEUE,
    flows,
    signals: message(SIGNAL_WAKE, 'WakeInput'),
    updates: {
      ...message(UPDATE_SETTLE_CHARGE, 'SettleChargeInput', 'SettleChargeResult'),
      ...message(UPDATE_RESUME, 'ResumeInput', 'ResumeResult'),
    },
    queries: message(QUERY_PROGRESS, undefined, 'Progress'),
    failure: { details: 'failure.json', types: protocol.FAILURE_TYPES, refusedUpdate: protocol.NOT_PARKED },
  });
  return new Map([...schemas].map(([name, schema]) => [name, `${JSON.stringify(tidy(schema), null, 2)}\n`]));
}

/** Names of the input and result types of a flow, as in its definition. */
function typesOf(flow) {
  const definitions = path.join(root, 'src', 'protocol', 'flows');
  const form = new RegExp(`^export const ${flow} = defineFlow<(\\w+), (\\w+)>`, 'm');
  for (const file of fs.readdirSync(definitions)) {
    const found = form.exec(fs.readFileSync(path.join(definitions, file), 'utf8'));
    if (found !== null) return found.slice(1);
  }
  throw new Error(`tramita: no file of src/protocol/flows defines ${flow} by defineFlow<Input, Result>`);
}

/** Combines each member's type with its reader. */
function inputSchema(schema, members) {
  const properties = Object.entries(members).map(([name, { schema: taken }]) => {
    const { description, ...typed } = schema.properties[name];
    const isWhole = 'type' in taken || 'anyOf' in taken;
    const both = isWhole ? taken : '$ref' in typed ? { allOf: [typed, taken] } : { ...typed, ...taken };
    return [name, description === undefined ? both : { description, ...both }];
  });
  return closed({ ...schema, properties: Object.fromEntries(properties) });
}

/** Objects with named members accept no other members: an input with an unknown member is refused. */
function closed(schema) {
  const isNamed =
    schema.type === 'object' && schema.properties !== undefined && schema.additionalProperties === undefined;
  const definitions = Object.entries(schema.definitions ?? {}).map(([name, each]) => [name, closed(each)]);
  return {
    ...schema,
    ...(isNamed ? { additionalProperties: false } : {}),
    ...(schema.definitions === undefined ? {} : { definitions: Object.fromEntries(definitions) }),
  };
}

/** Removes unused definitions and comment marks. */
function tidy({ definitions = {}, ...schema }) {
  const used = new Map();
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, definitions[name]);
      visit(definitions[name]);
    }
  };
  visit(schema);
  const whole = used.size === 0 ? schema : { ...schema, definitions: Object.fromEntries([...used].sort()) };
  return JSON.parse(JSON.stringify(whole).replace(/\{@link (\w+)\}/g, '`$1`'));
}

/** Names of files that differ from what would be written. */
function findStale(schemas) {
  const kept = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const isStale = (name) =>
    !kept.includes(name) || fs.readFileSync(path.join(folder, name), 'utf8') !== schemas.get(name);
  return [...new Set([...kept, ...schemas.keys()])].filter(isStale);
}

const schemas = makeSchemas();
if (process.argv.includes('--check')) {
  const stale = findStale(schemas);
  if (stale.length > 0) {
    process.stderr.write(
      `tramita: schemas/ is not what the types say (${stale.join(', ')}); run \`npm run schemas\`\n`,
    );
    process.exitCode = 1;
  }
} else {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  for (const [name, text] of schemas) fs.writeFileSync(path.join(folder, name), text);
}
