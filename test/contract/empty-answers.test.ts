/** Answers without any data. */
import { readNotices } from '../../src/contract/index.js';

describe('an answer about notices', () => {
  it('without data means that there are no notices, unless another member says otherwise', () => {
    expect(readNotices({ data: {}, meta: { creditsCharged: 0.3 } })).toMatchObject({ records: [], cut: false });
    expect(readNotices({ data: null, meta: { searchLogId: 's-1' } })).toMatchObject({ records: [], unmonitored: [] });
    // The service may add members without notice (interface, "Versioning").
    for (const added of [{ versao: '1.0.1' }, { extra: { novo: true, nota: null } }, { avisos: [] }]) {
      expect(readNotices({ data: {}, meta: { creditsCharged: 0.3 }, ...added })).toMatchObject({ records: [] });
    }
    for (const other of [
      {},
      { data: null, meta: { creditsCharged: 0.3 }, mensagem: 'court is down' },
      { data: null, meta: { creditsCharged: 0.3 }, avisos: ['court is down'] },
      { data: {}, meta: { creditsCharged: 0.3 }, resultado: { lista: [{ id: 1 }] } },
      { data: {}, meta: { creditsCharged: 0.3 }, total: 12 },
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
