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
