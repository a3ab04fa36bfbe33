/**
 * GET cases by CPF or CNPJ, charged per result on the page. An empty list costs nothing and proves nothing: upstream
 * may miss a company whose CNPJ has letters.
 */
import { z } from 'zod';
import { formatCnj, type Amount } from '../../src/contract/index.js';
import { cnjOfOwner, CORPUS_SIZE } from '../cases/corpus.js';
import { classOf, partiesOf, unitOf } from '../cases/cover.js';
import { courtOf } from '../cases/court.js';
import { companyOf, personOf, readTaxId } from '../cases/people.js';
import { TAX_IDS, type TaxIdPersona } from '../cases/personas.js';
import { deriveInteger } from '../derive.js';
import { pageMembers, paging, placesOn, reading } from './reading.js';
import { answeredRecord, refused } from './verdicts.js';

const schema = z.looseObject({ ...paging({ limit: 50, max: 100 }), cpf_cnpj: z.string() });

export const listCasesByDocument = reading(schema, { cpf_cnpj: [] }, ({ cpf_cnpj, page, limit }, view) => {
  const taxId = readTaxId(cpf_cnpj);
  if (taxId === undefined) return refused(422, 'INVALID_DOCUMENT', 'cpf_cnpj is no CPF or CNPJ.');
  const { seed, corpus, prices } = view.settings;
  const { cases, answers } = personaOf(seed, taxId);
  if (answers === 'refused') return refused(422, 'INVALID_DOCUMENT', 'The source takes digits only.');
  const total = Math.min(cases, CORPUS_SIZE[corpus]);
  const facts = { page, limit, total };
  const places = placesOn(facts);
  const isPerson = taxId.length === 11;
  const owner = isPerson ? personOf(seed, 'owner', taxId) : companyOf(seed, 'owner', taxId);
  const price = (prices.listCasesByDocument * places.length) as Amount;
  return answeredRecord(
    {
      document: taxId,
      documentType: isPerson ? 'cpf' : 'cnpj',
      envolvido: total === 0 ? null : { nome: owner.nome, tipoPessoa: owner.tipoPessoa, quantidadeProcessos: total },
      processos: places.map((place) => {
        const cnj = cnjOfOwner({ seed, corpus }, taxId, place);
        const other = partiesOf(seed, cnj).passive.nome;
        // Every second case of a homonym belongs to the other person: same name, another document, which is not shown.
        const name = answers === 'lawyer only' ? partiesOf(seed, cnj).active.nome : owner.nome;
        return {
          numero_cnj: formatCnj(cnj),
          titulo_polo_ativo: name,
          titulo_polo_passivo: other,
          tribunal: courtOf(cnj),
          capa: { classe: classOf(seed, cnj), orgao_julgador: unitOf(seed, cnj) },
          tipo_match:
            answers === 'lawyer only' ? 'ADVOGADO' : answers === 'homonyms' && place % 2 === 1 ? 'NOME' : 'DOCUMENTO',
        };
      }),
      ...pageMembers(facts, view),
      query: { cpf_cnpj: taxId },
    },
    view,
    { price },
  );
});

function personaOf(seed: string, taxId: string): Pick<TaxIdPersona, 'cases' | 'answers'> {
  const known = TAX_IDS.find((each) => each.taxId === taxId);
  return known ?? { cases: deriveInteger(seed, 31, 'cases of', taxId), answers: 'list' };
}
