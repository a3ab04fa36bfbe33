/** docs/privacy.md against the code: every place, table, column, folder and setting is named there, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig, describe as describeConfig } from '../../src/config/index.js';
import { HARMLESS, OTHER_PLACES, TABLE_PLACES } from '../../src/privacy/index.js';
import { DOCUMENTS, namesIn, REPOSITORY, sectionOf, tableOf } from './read-docs.js';

const PAGE = DOCUMENTS.get(join('docs', 'privacy.md')) ?? '';
const places = sectionOf(PAGE, '## The places');
const tables = tableOf(places, 'Table');

describe('docs/privacy.md', () => {
  it('has every table with personal data, and its columns, and no other', () => {
    const told = tables.map((row) => [namesIn([row])[0], [...namesIn([row], 3)].sort()]);
    expect(told).toEqual(TABLE_PLACES.map(({ table, columns }) => [table, Object.keys(columns).sort()]));
  });

  it('names the tables without any', () => {
    const withSome = new Set(TABLE_PLACES.map(({ table }) => table));
    const without = Object.keys(HARMLESS).filter((table) => !withSome.has(table));
    const sentence = /^No personal data,.*$/m.exec(places)?.[0] ?? '';
    expect(without.filter((table) => !sentence.includes(`\`${table}\``))).toEqual([]);
  });

  it('has the places that are no table', () => {
    const told = tableOf(places, 'Place').map(([place]) => place);
    expect(OTHER_PLACES.map(({ place }) => place).filter((place) => !told.includes(place))).toEqual([]);
  });

  it('names every folder that a worker writes to', () => {
    const folders = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(REPOSITORY, 'src', file), 'utf8').matchAll(/filesDir, '([\w-]+)'/g),
        ...readFileSync(join(REPOSITORY, 'src', file), 'utf8').matchAll(/return `([\w-]+)\/\$\{sha256/g),
      ])
      .map(([, folder = '']) => folder);
    expect(new Set(folders)).toEqual(new Set(['journal', 'spool', 'sha256']));
    expect([...new Set(folders)].filter((folder) => !places.includes(`\`${folder}/\``))).toEqual([]);
  });

  it('has every setting of retention with its default', () => {
    const told = tableOf(sectionOf(PAGE, '## How long'), 'Setting').map((row) => [
      namesIn([row])[0] ?? '',
      namesIn([row], 1)[0],
    ]);
    expect(Object.fromEntries(told)).toEqual(describeConfig(resolveConfig({ env: {} }))['retention']);
  });
});
