/** Answers that hold nothing at all. */
import { readNotices } from '../../src/contract/index.js';

describe('an answer about notices', () => {
  it('without anything in its data says that there are none, unless it says something else', () => {
    expect(readNotices({ data: {}, meta: { creditsCharged: 0.3 } })).toMatchObject({ records: [], cut: false });
    expect(readNotices({ data: null, meta: { searchLogId: 's-1' } })).toMatchObject({ records: [], unmonitored: [] });
    for (const other of [
      {},
      { data: {} },
      { data: null, meta: { durationMs: 3 } },
      { data: {}, meta: { creditsCharged: 0.3, total: 12 } },
      { data: {}, meta: { creditsCharged: 0.3, error: 'court is down' } },
      { data: {}, meta: { creditsCharged: 0.3, pagination: { total: 12 } } },
      { data: {}, error: { code: 'X' } },
      { data: '' },
      { meta: {} },
      { data: { aviso: 'x' } },
    ]) {
      expect(readNotices(other)).toBeUndefined();
    }
  });
});
