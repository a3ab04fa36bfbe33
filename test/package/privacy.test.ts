/** Checks docs/privacy.md against the code: it names every place, table, column, folder and setting, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig, describe as describeConfig } from '../../src/config/index.js';
import { TABLE_PLACES } from '../../src/privacy/places.js';
import { HARMLESS, OTHER_PLACES } from '../support/places.js';
import { DOCUMENTS, namesIn, REPOSITORY, sectionOf, tableOf } from './read-docs.js';

const PAGE = DOCUMENTS.get(join('docs', 'privacy.md')) ?? '';
const places = sectionOf(PAGE, '## The places');
const tables = tableOf(places, 'Table');

describe('docs/privacy.md', () => {
  it('lists every table with personal data and its columns, and no other', () => {
    const documented = tables.map((row) => [namesIn([row])[0], [...namesIn([row], 3)].sort()]);
    expect(documented).toEqual(TABLE_PLACES.map(({ table, columns }) => [table, Object.keys(columns).sort()]));
  });

  it('names the tables without personal data', () => {
    const withPersonalData = new Set(TABLE_PLACES.map(({ table }) => table));
    const without = Object.keys(HARMLESS).filter((table) => !withPersonalData.has(table));
    const sentence = /^No personal data,.*$/m.exec(places)?.[0] ?? '';
    expect(without.filter((table) => !sentence.includes(`\`${table}\``))).toEqual([]);
  });

  it('lists the places that are not tables', () => {
    const documented = tableOf(places, 'Place').map(([place]) => place);
    expect(OTHER_PLACES.filter((place) => !documented.includes(place))).toEqual([]);
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

  it('lists every retention setting with its default', () => {
    const documented = tableOf(sectionOf(PAGE, '## How long'), 'Setting').map((row) => [
      namesIn([row])[0] ?? '',
      namesIn([row], 1)[0],
    ]);
    expect(Object.fromEntries(documented)).toEqual(describeConfig(resolveConfig({ env: {} }))['retention']);
  });
});
