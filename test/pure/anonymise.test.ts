/** Erasing a person from texts: no trace of the number in any spelling remains, and nothing else changes. */
import fc from 'fast-check';
import { anonymise, learn } from '../../src/privacy/anonymise.js';
import { judgeRow } from '../../src/privacy/judge.js';
import { isWhole, mentionsIn } from '../../src/privacy/mentions.js';
import { seekNames, namesIn } from '../../src/privacy/names.js';
import { TABLE_PLACES } from '../../src/privacy/places.js';
import { parseSubject, seekNumber, seekToken, tokenOfSubject, type SubjectKind } from '../../src/privacy/subject.js';
import { surveyOf } from '../../src/privacy/survey.js';
import { formatCnj, formatCnpj, formatCpf } from '../../src/contract/index.js';

const token = (kind: string, value: unknown): string => Buffer.from(`${kind}|${String(value).length}`).toString('hex');
const soughtOf = (kind: SubjectKind, text: string) => {
  const read = parseSubject(kind, text);
  if (!read.ok) throw new Error(read.problem);
  return seekNumber(token, read.subject);
};

const CPF = '93541134780';
const OTHER = '52998224725';
const CNPJ = '12ABC34501DE35';
const CNJ = '10000015120268260100';
const NOTHING = { names: [], cases: new Set<string>() };

const SPELLINGS: readonly (readonly [SubjectKind, string, readonly string[]])[] = [
  ['cpf', CPF, [CPF, formatCpf(CPF), '935 411 347 80', '935.411.34780', '935.411.347%2D80', '935.411.347/80']],
  ['cnpj', CNPJ, [CNPJ, CNPJ.toLowerCase(), formatCnpj(CNPJ), '12.ABC.345%2F01DE-35', '12 ABC 345 01DE 35']],
  ['cnj', CNJ, [CNJ, formatCnj(CNJ), '1000001%2D51%2E2026.8.26.0100', '1000001.51.2026.8.26.0100']],
  [
    'oab',
    'SP:123456',
    [
      'SP:123456',
      '123456/SP',
      'SP123456',
      'OAB/SP 123456',
      'SP0123456',
      'OAB/SP nº 123.456',
      '123.456-SP',
      'sp 123456',
      'SP%3A123456',
      'OAB/SP&nbsp;n&ordm;&nbsp;123.456',
      '123.456&nbsp;/&nbsp;SP',
    ],
  ],
];

describe('a personal number in a text', () => {
  it.each(SPELLINGS)(
    'of kind %s is found in every spelling, beside any other text, and nothing else is',
    (kind, value, spellings) => {
      const sought = soughtOf(kind, value);
      const beside = fc.constantFrom(
        '',
        ' ',
        ', ',
        'CPF: ',
        '2026-11-22 ',
        ' 2026',
        '(',
        ') e ',
        '\n',
        'é',
        ' 11 ',
        ';',
      );
      fc.assert(
        fc.property(fc.constantFrom(...spellings), beside, beside, (spelled, before, after) => {
          const text = `${before}${spelled}${after}`;
          // With an adjacent digit the text has another number.
          fc.pre(!/\d$/.test(before) && !/^\d/.test(after) && !/^[A-Z]/.test(after));
          const [span, ...more] = mentionsIn(text, sought);
          expect([text.slice(span?.from, span?.to), more]).toEqual([spelled, []]);
          const { text: left, changes } = anonymise(text, sought, NOTHING);
          expect([left, changes]).toEqual([`${before}${sought.mark}${after}`, 1]);
        }),
      );
    },
  );

  it.each([
    ['cpf', CPF, ['193541134780', '935411347801', OTHER, CNJ, '935.411.347-8']],
    ['cnj', CNJ, ['11000001512026826010', '100000151202682601001', '1000002-51.2026.8.26.0100']],
    ['oab', 'SP:123456', ['SP:1234567', 'RJ:123456', 'SP:123456-E', 'ESP 123456', '1123456/SP', 'SP:1123456']],
  ] as const)('of kind %s is not found in a different number', (kind, value, others) => {
    for (const other of others) expect([other, mentionsIn(`x ${other} y`, soughtOf(kind, value))]).toEqual([other, []]);
  });

  it('is found by its token alone', () => {
    const real = (kind: string, value: unknown): string => `${kind}/${String(value)}`;
    const sought = seekToken(real, 'cpf', tokenOfSubject(real, { kind: 'cpf', value: CPF }));
    expect(mentionsIn(`${OTHER} e ${formatCpf(CPF)}`, sought)).toHaveLength(1);
  });

  it('is found as a JSON number without its leading zeros', () => {
    const sought = soughtOf('cpf', '01234567890');
    expect(isWhole(1234567890, sought)).toBe(true);
    expect(anonymise('{"cpf":1234567890,"id":12345678901}', sought, NOTHING).text).toBe(
      `{"cpf":"${sought.mark}","id":12345678901}`,
    );
  });
});

describe('a name in a text', () => {
  const names = seekNames(['Lúcia  Moraes FICTÍCIO', 'Ana']);
  it.each(['lucia moraes ficticio', 'LÚCIA MORAES FICTÍCIO', 'Lu\u0301cia\nMoraes Fictício'])(
    'is found as %j',
    (text) => {
      expect(namesIn(`de ${text}, `, names)).toEqual([{ from: 3, to: 3 + text.length }]);
    },
  );
  it('is found with an ampersand as HTML writes it', () => {
    const company = seekNames(['Moraes & Filhos Ltda']);
    for (const text of ['MORAES & FILHOS LTDA', 'Moraes &amp; Filhos Ltda']) {
      expect(namesIn(text, company)).toEqual([{ from: 0, to: text.length }]);
    }
  });
  it.each(["Maria D'Ávila", 'Ana-Clara Sant’Anna', 'José (Zé) Ficticio+', 'Otavio\u0000 Prado'])(
    'is found with punctuation and control characters: %j',
    (name) => {
      expect(namesIn(`de ${name}, `, seekNames([name]))).toEqual([{ from: 3, to: 3 + name.length }]);
    },
  );
  it.each(["Maria D'Ávila", 'Maria D’Avila', 'MARIA D´AVILA', 'maria d`ávila'])(
    'is found with any apostrophe: %j',
    (text) => {
      for (const name of ["Maria D'Ávila", 'Maria D’Ávila']) {
        expect(namesIn(`de ${text}, `, seekNames([name]))).toEqual([{ from: 3, to: 3 + text.length }]);
      }
    },
  );
  it.each([
    'L&uacute;cia Moraes Fict&iacute;cio',
    'L&Uacute;CIA&nbsp;MORAES FICT&Iacute;CIO',
    'L&#250;cia&#160;Moraes Fict&#xED;cio',
    '<b>Lúcia</b> <b>Moraes</b><br>Fictício',
  ])('is found in HTML: %s', (text) => {
    expect(namesIn(`<p>Autora:&nbsp;${text}, CPF</p>`, names).map(({ to, from }) => to - from)).toEqual([
      text.replace(/^<b>/, '').length,
    ]);
  });

  it.each(['Ana', 'Lúcia Moraes', 'Lúcia Moraes Fictícios', 'XLúcia Moraes Fictício', 'Lúcia Moraes</td><td>Fictício'])(
    'is not found in %j',
    (text) => {
      expect(namesIn(text, names)).toEqual([]);
    },
  );
});

describe('a JSON text', () => {
  const sought = soughtOf('cpf', CPF);
  const person = { nome: 'Lúcia Moraes FICTÍCIO', cpf: formatCpf(CPF), email: 'l@exemplo', polo: 'ATIVO' };
  const homonym = { nome: 'Lúcia Moraes FICTÍCIO', cpf: OTHER, email: 'outra@exemplo' };
  const erased = { nome: sought.mark, cpf: sought.mark, email: sought.mark, polo: 'ATIVO' };

  it('loses the person’s number, name and contacts, and the name in other texts, but no homonym', () => {
    const body = {
      titulo: 'LUCIA MORAES FICTICIO x Fazenda',
      partes: [person, homonym, { nome: 'Rui Dias FICTÍCIO' }],
      numeroCnj: formatCnj(CNJ),
      valor: 12345678901234567890n.toString(),
    };
    const { text, changes } = anonymise(JSON.stringify(body, null, 1), sought, NOTHING);
    expect(JSON.parse(text)).toEqual({
      ...body,
      titulo: `${sought.mark} x Fazenda`,
      partes: [erased, homonym, { nome: 'Rui Dias FICTÍCIO' }],
    });
    expect(changes).toBe(4);
    expect(learn(JSON.stringify(body), sought)).toEqual({ mentions: 1, names: [person.nome], cases: [CNJ] });
  });

  it.each([
    ['parte', 'documento'],
    ['beneficiario', 'cpfBeneficiario'],
    ['credor', 'cpf_cnpj_credor'],
  ])('loses the name in the member %s beside the number', (name, number) => {
    const record = { [name]: person.nome, [number]: formatCpf(CPF), departamento: 'Primeira Vara' };
    expect(JSON.parse(anonymise(JSON.stringify(record), sought, NOTHING).text)).toEqual({
      [name]: sought.mark,
      [number]: sought.mark,
      departamento: 'Primeira Vara',
    });
  });

  it('keeps the names of a homonym in a list of their object', () => {
    const named = { ...homonym, nomes: [homonym.nome] };
    const body = JSON.stringify({ partes: [person, named] });
    expect(JSON.parse(anonymise(body, sought, NOTHING).text)).toEqual({ partes: [erased, named] });
  });

  it('keeps every other character, also of long numbers, and does not change a second time', () => {
    const text = `{ "id" : 123456789012345678901234567890, "x":[1.50, {"cpf":"${CPF}" ,"nome":"A"}]  }`;
    const once = anonymise(text, sought, NOTHING).text;
    expect(once).toBe(text.replace(CPF, sought.mark).replace('"A"', JSON.stringify(sought.mark)));
    expect(anonymise(once, sought, NOTHING)).toEqual({ text: once, changes: 0 });
  });

  it('loses the name in an object beside the number, and in texts of a case of the person', () => {
    const list = { document: CPF, envolvido: { nome: person.nome, total: 1 }, itens: [{ polo: person.nome }] };
    expect(JSON.parse(anonymise(JSON.stringify(list), sought, NOTHING).text)).toEqual({
      document: sought.mark,
      envolvido: { nome: sought.mark, total: 1 },
      itens: [{ polo: sought.mark }],
    });
    const movement = JSON.stringify({ cnj: CNJ, texto: `Juntada por ${person.nome}` });
    const known = { names: [person.nome], cases: new Set([CNJ]) };
    expect(anonymise(movement, sought, known).text).toBe(movement.replace(person.nome, sought.mark));
    expect(anonymise(movement, sought, { ...known, cases: new Set<string>() }).changes).toBe(0);
    expect(anonymise(`de ${person.nome}.`, sought, known, { isAbout: true }).text).toBe(`de ${sought.mark}.`);
  });

  it('tells that the cases in a list of the person are theirs, but not what those cases name', () => {
    const related = { processo: '20000029220268260100' };
    const list = { document: CPF, envolvido: { nome: person.nome }, processos: [{ numero: formatCnj(CNJ), related }] };
    expect(learn(JSON.stringify({ data: list }), sought)).toEqual({ mentions: 1, names: [person.nome], cases: [CNJ] });
    const ofCase = { numero: formatCnj(CNJ), cpf: CPF, related };
    expect(learn(JSON.stringify(ofCase), sought)).toEqual({ mentions: 1, names: [], cases: [CNJ] });
    const beside = { partes: [person], outros: [{ numero: formatCnj(CNJ) }] };
    expect(learn(JSON.stringify(beside), sought).cases).toEqual([]);
  });

  it('loses a whole case', () => {
    const soughtCase = soughtOf('cnj', CNJ);
    const other = { numero: '20000029220268260100', vara: '1ª' };
    const text = JSON.stringify({
      itens: [{ numero: formatCnj(CNJ), partes: ['Ana Dias'] }, other],
      nota: `ver ${CNJ}.`,
    });
    expect(JSON.parse(anonymise(text, soughtCase, NOTHING).text)).toEqual({
      itens: [{ erased: soughtCase.mark }, other],
      nota: `ver ${soughtCase.mark}.`,
    });
  });

  it('loses a lawyer whose registration is split into number and state', () => {
    const lawyer = soughtOf('oab', 'SP:123456');
    const text = JSON.stringify({
      advogados: [{ nome: 'Rui Dias Filho', oabs: [{ numero: 123456, uf: 'SP' }], oab: 'SP0123456' }],
    });
    const left = anonymise(text, lawyer, NOTHING).text;
    expect(JSON.parse(left)).toEqual({
      advogados: [{ nome: lawyer.mark, oabs: [{ numero: lawyer.mark, uf: 'SP' }], oab: lawyer.mark }],
    });
  });

  it('keeps no trace of the number, wherever it was', () => {
    const spelled = fc.constantFrom(CPF, formatCpf(CPF), `x ${formatCpf(CPF)} y`);
    const leaf = fc.oneof(spelled, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(OTHER));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(spelled, fc.string()), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.boolean(), (value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const { text: left, changes } = anonymise(text, sought, NOTHING);
        const digits = (seen: string): string => seen.replace(/[.-]/g, '');
        expect(digits(left).includes(CPF)).toBe(false);
        expect(changes > 0).toBe(digits(text).includes(CPF));
        JSON.parse(left);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a notice of the lawyer', () => {
  const [notices] = TABLE_PLACES.filter(({ table }) => table === 'notice');
  if (notices === undefined) throw new Error('there is no place of notices');
  const sought = soughtOf('oab', 'SP:123456');
  const judged = (oab: string, oabs: readonly string[] | null) =>
    judgeRow(
      notices,
      { key: ['default', 'n'], cells: { oab, oabs, full_text: '{"texto":"Intime-se."}' } },
      sought,
      surveyOf({}),
    );

  it('is deleted if it is of no other lawyer', () => {
    expect(judged('SP:123456', null)).toEqual({ kind: 'goes' });
  });

  it.each(['SP:123456', 'RJ:765432'])(
    'is kept without the lawyer if another lawyer has it too, whichever came last: %s',
    (oab) => {
      const verdict = judged(oab, ['RJ:765432', 'SP:123456']);
      expect(verdict).toMatchObject({ kind: 'changes', cells: { oabs: ['RJ:765432', sought.mark] } });
      expect(JSON.stringify(verdict)).not.toMatch(/123456|texto/);
    },
  );
});
