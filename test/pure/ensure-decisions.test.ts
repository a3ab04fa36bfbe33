/** Which active notice monitors have to be changed: `decideEnsure`. A listing need not show terms or gazettes. */
import { readNoticeMonitors } from '../../src/contract/index.js';
import { decideEnsure } from '../../src/activities/monitors/decide-ensure.js';

const OAB = 'SP:123456';

function changes(asked: object, shown: object): readonly string[] {
  const record = { id: 7, estado: 'SP', numero: '123456', status: 'ACTIVE', ...shown };
  const listed = readNoticeMonitors({ data: { monitoramentos: [record] } }, 'listing')?.monitors ?? [];
  expect(listed).toHaveLength(1);
  return decideEnsure({ oabs: [OAB], ...asked }, listed).changes.map(({ oab }) => oab);
}

describe('an empty list', () => {
  test.each([
    [{ terms: [] }, { termosAuxiliares: ['Acme'] }],
    [{ terms: [] }, {}],
    [{ origins: [] }, {}],
    [{ terms: [], origins: [] }, { termos_auxiliares: [] }],
  ])('is a change unless the listing shows that there is nothing (%j, %j)', (asked, shown) => {
    expect(changes(asked, shown)).toEqual([OAB]);
  });

  test.each([
    [{ terms: [] }, { termosAuxiliares: [] }],
    [{ terms: [] }, { termos_auxiliares: null }],
    [
      { terms: [], origins: [] },
      { termos_auxiliares: [], origens_ids: [] },
    ],
    [{}, { termos_auxiliares: ['Acme'] }],
  ])('is no change if the listing shows that there is nothing, or if nothing is asked (%j, %j)', (asked, shown) => {
    expect(changes(asked, shown)).toEqual([]);
  });
});

describe('a list of objects', () => {
  const asked = { terms: ['Acme', 'Beta'], origins: ['7', 3] };

  test.each([
    [
      {
        termosAuxiliares: [{ termo: 'Beta' }, { id: 1, termo: 'Acme' }],
        origensIds: [{ id: 3, nome: 'DJSP' }, { id: '7' }],
      },
    ],
    [{ termos_auxiliares: [{ nome: 'Acme' }, { nome: 'Beta' }], origens: [{ id: 7 }, { id: 3 }] }],
  ])('is compared by its texts or ids, so nothing is paid for what is as asked (%j)', (shown) => {
    expect(changes(asked, shown)).toEqual([]);
  });

  test.each([
    [{ termosAuxiliares: [{ termo: 'Acme' }], origensIds: [{ id: 3 }, { id: 7 }] }],
    [{ termosAuxiliares: ['Acme', 'Beta'], origens: [{ id: 3, nome: '7' }] }],
  ])('that differs is a change (%j)', (shown) => {
    expect(changes(asked, shown)).toEqual([OAB]);
  });
});
