/** Which answers the auditor must not compare by hash, because a fault changed them in transit. */
import { alteredOf } from '../../src/testing/index.js';

describe('alteredOf', () => {
  const charge = { n: 7, operation: 'requestSummary', requestId: 'abc' } as const;
  const post = { charge: 7, method: 'POST', target: '/processos/1/resumo-ia', fault: 'F12' };
  const poll = { charge: null, method: 'GET', target: '/requisicoes/abc', fault: 'F13' };

  it('includes a charge with an unreadable 202 and an altered final answer', () => {
    expect([...alteredOf([charge], [post, poll])]).toEqual([7]);
    expect([...alteredOf([charge], [poll, post])]).toEqual([7]);
  });

  it.each(['F6', 'F12'])('includes a refresh with an unreadable answer (%s), which ends by its status', (fault) => {
    const unreadable = { ...poll, fault };
    expect([...alteredOf([{ ...charge, operation: 'requestRefresh' }], [unreadable])]).toEqual([7]);
    expect([...alteredOf([{ ...charge, operation: 'requestRefresh' }], [post])]).toEqual([7]);
    expect([...alteredOf([charge], [unreadable])]).toEqual([]);
  });

  it('leaves out an unreadable answer, which is never stored, but includes half of a file', () => {
    expect([...alteredOf([charge], [post])]).toEqual([]);
    expect([...alteredOf([{ ...charge, operation: 'getElectoralEditionPdf' }], [post])]).toEqual([7]);
  });
});
