/** Answers that hold nothing at all. */
import { readNotices } from '../../src/contract/index.js';

describe('an answer about notices', () => {
  it('without anything in its data says that there are none, unless it says something else', () => {
    expect(readNotices({ data: {}, meta: { creditsCharged: 0.3 } })).toMatchObject({ records: [], cut: false });
    expect(readNotices({ data: null })).toMatchObject({ records: [], cut: false, unmonitored: [] });
    for (const other of [
      {},
      { data: {}, error: { code: 'X' } },
      { data: '' },
      { meta: {} },
      { data: { aviso: 'x' } },
    ]) {
      expect(readNotices(other)).toBeUndefined();
    }
  });
});
