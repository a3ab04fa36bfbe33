import { readingOf } from '../../src/activities/readings/index.js';
import type { PageFactsReading } from '../../src/protocol/index.js';
import {
  DEFAULT_GAPS,
  operationOf,
  readNextLink,
  readPage,
  type PageContext,
  type Parameters,
} from '../../src/contract/index.js';

const PATH = '/v1/processos/cnj/10000015120268260100/movimentacoes';
const BASE = 'https://api.example/base';
const context: PageContext = { target: `${PATH}?limit=2`, baseUrl: BASE, page: 1, listed: 2 };
const next = (body: unknown, more: Partial<PageContext> = {}) => readPage(body, { ...context, ...more }).next;

describe('readPage', () => {
  it('reads page and limit', () => {
    expect(readPage({ data: { items: [1, 2], page: 1, limit: 2, total: 5 } }, context)).toEqual({
      next: { kind: 'page', page: 2 },
      total: 5,
    });
    expect(next({ data: { items: [1], page: 3, limit: 2, total: 5 } }, { page: 3, listed: 1 })).toEqual({
      kind: 'end',
    });
  });

  it('reads cursor and li', () => {
    expect(next({ data: { items: [1, 2], cursor: 'a b', li: 9 } })).toEqual({ kind: 'cursor', cursor: 'a b', li: '9' });
    for (const cursor of [null, '']) expect(next({ data: { items: [1, 2], cursor } })).toEqual({ kind: 'end' });
    expect(next({ data: { items: [1, 2], cursor: null, total: 5 } })).toEqual({ kind: 'end' });
    expect(next({ data: { links: { next: { href: null, cursor: 'c', li: '1' } } } })).toEqual({
      kind: 'cursor',
      cursor: 'c',
      li: '1',
    });
  });

  it('reads links.next.href, with its query byte for byte', () => {
    const query = 'cursor=%7B%22a%22%3A1%7d&li=9&x=a+b';
    expect(next({ data: { links: { next: { href: `${PATH}?${query}` } } } })).toEqual({
      kind: 'link',
      target: `${PATH}?${query}`,
    });
    expect(next({ data: { links: { next: null } } })).toEqual({ kind: 'end' });
    expect(next({ data: { links: { next: { href: null } } } })).toEqual({ kind: 'end' });
  });

  it('reads pagination', () => {
    const body = { data: { processos: [1, 2], pagination: { current_page: 1, last_page: 3, per_page: 2, total: 6 } } };
    expect(readPage(body, context)).toEqual({ next: { kind: 'page', page: 2 }, total: 6, totalPages: 3 });
    expect(next(body, { page: 3 })).toEqual({ kind: 'end' });
  });

  it('reads items and paginator, without an envelope', () => {
    const body = { items: [1, 2], paginator: { total: 3, per_page: 2 } };
    expect(next(body)).toEqual({ kind: 'page', page: 2 });
    expect(next(body, { page: 2, listed: 1 })).toEqual({ kind: 'end' });
  });
});

describe('the next page of an answer', () => {
  it('is the next number if the answer only says that there is one', () => {
    for (const pagination of [{ hasMore: true }, { has_next: true, total: 9 }, { hasNextPage: true }]) {
      expect(next({ data: { items: [1, 2], pagination } })).toEqual({ kind: 'page', page: 2 });
    }
    expect(next({ data: { items: [1, 2], hasMore: false, total: 9 } })).toEqual({ kind: 'end' });
    expect(next({ data: { items: [1, 2], hasMore: true, links: { next: null } } })).toEqual({ kind: 'end' });
  });

  it('has a number if there are more items than were listed, in either spelling of their count', () => {
    for (const name of ['totalDisponivel', 'total_disponivel']) {
      expect(next({ data: { items: [1, 2], [name]: 5 } })).toEqual({ kind: 'page', page: 2 });
    }
  });

  it('is read from the pagination in meta too', () => {
    expect(next({ data: [1, 2], meta: { pagination: { total: 5, totalPages: 3 } } })).toEqual({
      kind: 'page',
      page: 2,
    });
  });

  it('is "unsaid", not guessed, if the answer says nothing', () => {
    expect(next({ data: { items: [1, 2] } })).toEqual({ kind: 'unsaid' });
    expect(next(undefined)).toEqual({ kind: 'unsaid' });
  });

  it('does not exist after an empty page, unless there is a link', () => {
    expect(next({ data: { items: [], pagination: { totalPages: 9 } } }, { listed: 0 })).toEqual({ kind: 'end' });
    expect(next({ data: { links: { next: `${PATH}?page=2` } } }, { listed: 0 })).toMatchObject({ kind: 'link' });
  });

  it('follows the link if counts disagree with it', () => {
    expect(next({ data: { links: { next: null }, pagination: { totalPages: 9 } } })).toEqual({ kind: 'end' });
  });

  it('has a number if the cursor is null, unless the page itself was read by a cursor', () => {
    const body = { data: { items: [1, 2], cursor: null, page: 1, totalPages: 3 } };
    expect(next(body)).toEqual({ kind: 'page', page: 2 });
    expect(next(body, { page: 3 })).toEqual({ kind: 'end' });
    expect(next(body, { target: `${PATH}?cursor=b&li=9` })).toEqual({ kind: 'end' });
    expect(next({ data: { ...body.data, cursor: 'b' } })).toMatchObject({ kind: 'cursor' });
  });

  it('is never taken from another member that looks like a link', () => {
    expect(
      next({ data: { next_page_url: 'https://evil.example/', pagination: { next: 'https://evil.example/' } } }),
    ).toEqual({
      kind: 'unsaid',
    });
  });
});

describe('a next link', () => {
  const from = (href: string) => readNextLink(href, context);

  it.each([
    [`${PATH}?page=2`],
    [`/base${PATH}?page=2`],
    [`${BASE}${PATH}?page=2`],
    [`HTTPS://API.EXAMPLE:443/base${PATH}?page=2`],
    ['?page=2'],
    ['/v1/processos/cnj/1000001-51.2026.8.26.0100/movimentacoes?page=2'],
    ['movimentacoes?page=2'],
    ['./movimentacoes?page=2'],
    [`//api.example/base${PATH}?page=2`],
  ])('like %s is followed as a page of our own path', (href) => {
    expect(from(href)).toEqual({ ok: true, target: `${PATH}?page=2` });
  });

  // The results are those of `new URL(href).search`.
  it.each([
    [`${PATH}?termo=Jo\u00e3o da Silva&page=2`, 'termo=Jo%C3%A3o%20da%20Silva&page=2'],
    [`${PATH}?q=\u{1f600}%20+%e3`, 'q=%F0%9F%98%80%20+%e3'],
    [` \n${PATH}?page=2\t `, 'page=2'],
    ['?q=a  b', 'q=a%20%20b'],
  ])('with blanks or characters beyond ASCII, %j, is followed as browsers do', (href, query) => {
    expect(from(href)).toEqual({ ok: true, target: `${PATH}?${query}` });
    expect(new URL(href, BASE).search).toBe(`?${query}`);
  });

  it.each([
    ['another host', `https://evil.example${PATH}?page=2`],
    ['another port', `https://api.example:8443${PATH}?page=2`],
    ['another scheme', `http://api.example${PATH}?page=2`],
    ['no scheme', `//evil.example${PATH}?page=2`],
    ['a user', `https://api.example@evil.example${PATH}?page=2`],
    ['a script', 'javascript:alert(1)'],
    ['another resource beside it', 'documentos-publicos?page=2'],
    ['a walk up from it', '../movimentacoes?page=2'],
    ['another path', '/v1/processos/cnj/10000015120268260100/documentos-publicos?page=2'],
    ['another case', '/v1/processos/cnj/50007771420258130024/movimentacoes?page=2'],
    ['a walk up', `${PATH}/../movimentacoes?page=2`],
    ['an encoded walk', `${PATH}/%2e%2e/movimentacoes?page=2`],
    ['a backslash', `\\\\evil.example${PATH}?page=2`],
    ['a fragment', `${PATH}?page=2#x`],
    ['a line break', `${PATH}?page=2\r\nx: y`],
    ['a tab', `${PATH}?q=a\tb`],
    ['a control character', `${PATH}?q=a\u0000b`],
    ['half a character', `${PATH}?q=\ud83d`],
    ['a wide slash for one', `${PATH.replace(/\/(?=[^/]*$)/, '\uff0f')}?page=2`],
    ['a wide dot in its host', `https://api\uff0eexample${PATH}?page=2`],
    ['a blank in its host', `https://api.example ${PATH}?page=2`],
    ['a blank in its path', `${PATH} ?page=2`],
    ['a blank before a walk up', `/ /..${PATH}?page=2`],
    ['a wide question mark', `${PATH}\uff1fpage=2`],
    ['8,000 characters beyond ASCII', `${PATH}?q=${'\u00e3'.repeat(4_000)}`],
    ['no query', PATH],
    ['itself', `${PATH}?limit=2`],
    ['9,000 characters', `${PATH}?q=${'x'.repeat(9_000)}`],
  ])('with %s is refused', (_what, href) => {
    expect(from(href)).toMatchObject({ ok: false });
    expect(next({ data: { links: { next: { href } } } })).toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['the first page', PATH, { loops: true }],
    ['itself', `${PATH}?limit=2`, { loops: true }],
    ['another path', '/v1/elsewhere?page=2', {}],
  ])('that leads to %s is refused, and says if it is a loop', (_what, href, loops) => {
    const problem = expect.any(String) as string;
    expect(from(href)).toEqual({ ok: false, problem, ...loops });
    expect(next({ data: { links: { next: { href } } } })).toEqual({ kind: 'refused', problem, ...loops });
  });

  it('that is the page itself but for a blank is a loop', () => {
    const read = readNextLink(`${PATH}?q=a b`, { ...context, target: `${PATH}?q=a%20b` });
    expect(read).toMatchObject({ ok: false, loops: true });
  });

  it('that is not text is refused', () => {
    expect(next({ data: { links: { next: { href: 5 } } } })).toMatchObject({ kind: 'refused' });
  });
});

describe('a page that was read by a cursor', () => {
  const operation = operationOf('listMovements');
  const nextOf = (target: string, more: object) =>
    readingOf('page', {
      operation,
      params: { cnj: '10000015120268260100' },
      gaps: DEFAULT_GAPS,
      baseUrl: '',
      bytes: 0,
      sha256: '',
      target,
      body: { data: { movimentacoes: [{ id: 1 }, { id: 2 }], total: 60, ...more } },
    });

  it.each([{}, { links: null }, { links: {} }, { pagination: { per_page: 2 } }])(
    'is the last one if it names no next page: %j',
    (more) => {
      expect(nextOf(`${PATH}?cursor=def&li=40`, more)).toMatchObject({ next: { kind: 'end' } });
    },
  );

  it.each([`${PATH}?cursor=def`, `${PATH}?limit=2&token=b`, `${PATH}?page=2`])(
    'or a link (%s) is the last one if it says nothing about pages',
    (target) => {
      for (const more of [{}, { links: { self: { href: target } } }]) {
        expect(nextOf(target, { total: undefined, ...more })).toMatchObject({ next: { kind: 'end' } });
      }
    },
  );

  it('is followed by the page that it names, or by the next number if its own number is known', () => {
    const href = `${PATH}?cursor=ghi&li=40`;
    const links = { links: { next: { href } } };
    expect(nextOf(`${PATH}?cursor=def`, links)).toMatchObject({ next: { kind: 'link', target: href } });
    expect(nextOf(`${PATH}?cursor=def&page=2`, { pagination: { per_page: 2 } })).toMatchObject({
      next: { kind: 'page' },
    });
  });
});

describe('a page that was read by a link without a page number', () => {
  const nextOf = (more: object) =>
    readingOf('page', {
      operation: operationOf('searchTerm'),
      params: { q: 'Acme' },
      gaps: DEFAULT_GAPS,
      baseUrl: '',
      bytes: 0,
      sha256: '',
      target: '/v1/busca/termo?q=Acme&pagina=2',
      body: { data: { items: [{ id: 3 }], pagination: { total: 3, last_page: 2, per_page: 2 }, ...more } },
    });

  it('is the last one if it names no next page: the number that its counts give would buy a page again', () => {
    expect(nextOf({})).toMatchObject({ next: { kind: 'end' } });
  });

  it('is followed by the link that it names', () => {
    const href = '/v1/busca/termo?q=Acme&pagina=3';
    expect(nextOf({ links: { next: { href } } })).toMatchObject({ next: { kind: 'link', target: href } });
  });
});

describe('a cursor without a link', () => {
  const nextOf = (id: 'listMovements' | 'searchTerm' | 'listPrecatorios', params: Parameters) =>
    readingOf('page', {
      operation: operationOf(id),
      params,
      gaps: DEFAULT_GAPS,
      baseUrl: '',
      bytes: 0,
      sha256: '',
      body: { data: { items: [{ id: 1 }], links: { next: { cursor: 'abc', li: 5 } } } },
    });

  it('is sent by an operation that takes one', () => {
    expect(nextOf('listMovements', { cnj: '10000015120268260100' })).toMatchObject({
      next: { kind: 'cursor', cursor: 'abc', li: '5' },
    });
  });

  it('says that there is another page, which any other operation requests by its number', () => {
    expect(nextOf('searchTerm', { q: 'Acme' })).toMatchObject({ next: { kind: 'page', page: 2, key: '2' } });
    expect(nextOf('searchTerm', { q: 'Acme', page: '4' })).toMatchObject({ next: { kind: 'page', page: 5 } });
  });

  it('is no way to the next page without a page parameter', () => {
    expect(nextOf('listPrecatorios', { ano_orcamentario: '2027' })).toMatchObject({ next: { kind: 'unsaid' } });
  });
});

describe('the fingerprint of a page of public documents', () => {
  const fingerprintOf = (documents: readonly object[]): string | undefined => {
    const reading = readingOf('page', {
      operation: operationOf('listPublicDocuments'),
      params: { cnj: '10000015120268260100' },
      gaps: DEFAULT_GAPS,
      baseUrl: '',
      bytes: 0,
      sha256: '',
      body: { data: { documentos: documents } },
    });
    return (reading as PageFactsReading | undefined)?.fingerprint;
  };
  const signed = (id: number, signature: string) => ({
    id,
    titulo: 'Sentença',
    downloadUrl: `https://files.example/${id}?X-Amz-Signature=${signature}`,
  });

  it('does not depend on their links, which are signed again at each call', () => {
    expect(fingerprintOf([signed(1, 'a'), signed(2, 'b')])).toBe(fingerprintOf([signed(1, 'c'), signed(2, 'd')]));
    expect(fingerprintOf([signed(1, 'a')])).not.toBe(fingerprintOf([signed(2, 'a')]));
  });
});
