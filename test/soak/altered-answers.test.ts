/** Which answers the auditor must not compare by hash, because a fault has changed them on their way. */
import { alteredOf } from '../../src/testing/index.js';

describe('charges whose answer was altered', () => {
  const charge = { n: 7, operation: 'requestSummary', requestId: 'abc' } as const;
  const begun = { charge: 7, method: 'POST', target: '/processos/1/resumo-ia', fault: 'F12' };
  const poll = { charge: null, method: 'GET', target: '/requisicoes/abc', fault: 'F13' };

  it('an unreadable 202 whose final was altered is one', () => {
    expect([...alteredOf([charge], [begun, poll])]).toEqual([7]);
    expect([...alteredOf([charge], [poll, begun])]).toEqual([7]);
  });

  it.each(['F6', 'F12'])('an unreadable answer (%s) about a refresh, which ends by its status, is one', (fault) => {
    const unreadable = { ...poll, fault };
    expect([...alteredOf([{ ...charge, operation: 'requestRefresh' }], [unreadable])]).toEqual([7]);
    expect([...alteredOf([{ ...charge, operation: 'requestRefresh' }], [begun])]).toEqual([7]);
    expect([...alteredOf([charge], [unreadable])]).toEqual([]);
  });

  it('an answer that cannot be read is never stored, so it is none, but half of a file is', () => {
    expect([...alteredOf([charge], [begun])]).toEqual([]);
    expect([...alteredOf([{ ...charge, operation: 'getElectoralEditionPdf' }], [begun])]).toEqual([7]);
  });
});
