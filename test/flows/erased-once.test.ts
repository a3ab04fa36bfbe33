/** A person or a case is erased whose number is in the `once` key of a flow: a later start with that key pays nothing. */
import { createTokens } from '../../src/config/index.js';
import { formatCnj } from '../../src/contract/index.js';
import { createFiles } from '../../src/files/index.js';
import { eraseSubject, openOwnDisk, parseSubject, seekNumber, tokenOfSubject } from '../../src/privacy/index.js';
import { settleCharge, startReadCase } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { NO_FLOWS } from '../support/plant-subject.js';
import { withFlows } from './with-flows.js';

describe('a key in which an erasure has replaced something', () => {
  const flows = withFlows();

  async function erase(kind: 'cnj' | 'cpf', value: string): Promise<void> {
    const { idKey = '', filesDir } = flows.config;
    const { token } = createTokens(idKey);
    const read = parseSubject(kind, value);
    if (!read.ok) throw new Error(read.problem);
    const order = { kind, token: tokenOfSubject(token, read.subject), sought: seekNumber(token, read.subject) };
    const disk = openOwnDisk(filesDir);
    const erased = await eraseSubject(
      { db: flows.database.db, token, disk, files: createFiles(flows.config), flows: NO_FLOWS },
      { ...order, by: 'ana', reason: 'asked', cancel: false, clock: Date.now },
    );
    expect(erased.kind).toBe('erased');
  }

  // A key with a CPF or CNPJ in a usual spelling is refused; this one is not taken for a CPF.
  test.each([
    ['cpf', '93541134780', 'client 935/411/347/80'],
    ['cnj', newCase(), undefined],
  ] as const)('a key with a %s in it', async (kind, value, key) => {
    const cnj = kind === 'cnj' ? value : newCase();
    const once = key ?? `report of ${formatCnj(cnj)}`;
    const read = () => startReadCase(flows.deps, { cnj, include: ['cover'], once });
    const refresh = () => flows.refresh({ cnj, webhook: false, once });
    await (await read()).result();
    await (await refresh()).result();
    const paid = await flows.charges({ cnj });
    expect(paid.map(({ operation }) => operation)).toEqual(['getCase', 'requestRefresh']);
    await erase(kind, value);

    expect(await (await refresh()).result()).toMatchObject({ status: 'done', spent: { known: '0' } });
    const again = await read();
    if (kind === 'cnj') {
      // The answer is erased too.
      expect(await flows.parked(again.workflowId)).toMatchObject({ attention: 'charged-lost' });
      await settleCharge(flows.client, again.workflowId, { step: 'getCase', decision: 'abandon', by: 'ana' });
      expect(await failureOf(again)).toMatchObject({ type: 'ChargedLost' });
    } else {
      expect(await again.result()).toMatchObject({ spent: { known: '0' } });
    }
    expect(await flows.charges({ cnj })).toEqual(paid);
  });
});
