/**
 * `npm run soak:canary` at small scale: with payload keys, flows of every type and every kind of webhook run once, and no canary
 * may be where personal data is not allowed. The search and the verdict of that run are also tested with violations.
 */
import { gzipSync } from 'node:zlib';
import { CANARY_KINDS, makeCanaries, needlesOf, unusual, type CanaryKind } from '../../soak/canary/canaries.js';
import { mayHold, PLACES, type Mode } from '../../soak/canary/places.js';
import { countHits } from '../../soak/canary/search.js';
import { lookFor } from '../../soak/canary/verdict.js';
import { runSoak } from './run-soak.js';

const canaries = makeCanaries(1, 'sandbox-key');
const LINK = '0123456789abcdef'.repeat(4);
const needles = needlesOf(canaries, [LINK]);
const hitsOf = (content: string | Buffer) => countHits([Buffer.from(content)], needles);

it('the canary run finds canaries only where personal data is allowed', async () => {
  const { code, lines, figures } = await runSoak('canary', ['--small', '--modes', 'keys on']);
  expect({ code, lines }).toMatchObject({ code: 0 });
  expect(figures).toMatchObject({ kinds: 12, places: PLACES.length, leaks: 0, silent: 0 });
}, 600_000);

describe('the search', () => {
  const { cpf, cnpj, oab, name } = canaries;
  const formatted = `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;
  const base64 = (before: string): string => Buffer.from(`${before}{"cpf":"${cpf}"}`).toString('base64');

  it.each([
    ['bare', cpf],
    ['formatted', `CPF ${formatted}, of`],
    ['as bytes of PostgreSQL', `\\x${Buffer.from(`{"cpf":"${cpf}"}`).toString('hex')}`],
    ['in base64 at offset 0', base64('')],
    ['in base64 at offset 1', base64('a')],
    ['in base64 at offset 2', base64('ab')],
    ['gzipped', gzipSync(`${'x'.repeat(500)}${formatted}`)],
    ['gzipped, in base64', `"data":"${gzipSync(`${'x'.repeat(500)}${formatted}`).toString('base64')}"`],
  ])('finds a CPF %s', (_how, content) => {
    expect(hitsOf(content).cpf).toBeGreaterThan(0);
  });

  it('finds CNPJ, OAB number and name in lower case, escaped and percent-encoded', () => {
    expect(hitsOf(cnpj.toLowerCase()).cnpj).toBe(1);
    expect(hitsOf(`${oab.number}%2F${oab.uf}`).oab).toBe(1);
    expect(hitsOf(JSON.stringify({ numero: oab.number })).oab).toBe(1);
    expect(hitsOf(encodeURIComponent(name)).name).toBe(1);
    expect(hitsOf(unusual(name).toUpperCase()).name).toBe(1);
  });

  it('finds nothing in text without canaries', () => {
    expect(Object.values(hitsOf('2026-11-22T13:58:05.634Z {"id":1234567,"cpf":"52998224725"}'))).toEqual(
      CANARY_KINDS.map(() => 0),
    );
  });
});

describe('the verdict', () => {
  const texts: Readonly<Record<CanaryKind, string>> = {
    ...canaries,
    oab: `${canaries.oab.uf}:${canaries.oab.number}`,
    link: LINK,
    token: canaries.tokens[0] ?? '',
  };
  /** Each place with all canaries that it may hold. */
  const contentsOf = (mode: Mode, more: Record<string, string> = {}) =>
    Object.fromEntries(
      PLACES.map((place) => {
        const allowed = CANARY_KINDS.filter((kind) => mayHold(place, kind, mode)).map((kind) => texts[kind]);
        return [place, [Buffer.from(['something', ...allowed, more[place] ?? ''].join(' '))]];
      }),
    );
  const judge = (mode: Mode, contents: Parameters<typeof lookFor>[0]) => lookFor(contents, needles, { mode, canaries });

  it.each(['keys on', 'keys off'] as const)('accepts canaries where they are allowed: %s', (mode) => {
    const { leaks, silent } = judge(mode, contentsOf(mode));
    expect({ leaks, silent }).toEqual({ leaks: [], silent: [] });
  });

  it.each([
    ['worker log', canaries.cpf],
    ['postgres log', canaries.name],
    ['temporal lists', canaries.cnpj],
    ['temporal histories', canaries.movement],
    ['database', canaries.apiKey],
    ['spool', canaries.webhookSecret],
    ['commands', canaries.tokens[1] ?? ''],
  ])('refuses a canary in the %s', (place, text) => {
    const { leaks } = judge('keys on', contentsOf('keys on', { [place]: text }));
    expect(leaks[0]).toMatch(`times in the ${place}`);
  });

  it('refuses a run in which nothing happened', () => {
    const { silent } = judge('keys off', {});
    expect(silent).toContain('keys off: cpf is not in the database, where it has to be');
    expect(silent).toContain('keys off: nothing was read from the worker log');
  });
});
