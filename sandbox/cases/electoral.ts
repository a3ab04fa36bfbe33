/**
 * The electoral courts' publications, by court and day. The board (Mural) is published from 15 August to 19 December of
 * even years, weekends included. The gazette (DJe Eleitoral) has an edition on every working day and follows the
 * next-working-day rule. Ids contain court, day and place, so nothing is stored. Pure.
 */
import { UFS, formatCnj } from '../../src/contract/index.js';
import { isCivilDate, isWorkingDay, nextWorkingDay } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { buildCnj } from './corpus.js';
import { lawyerOf, personOf, spellOab } from './people.js';

export type BoardItem = ReturnType<typeof boardItem>;
export type GazetteItem = ReturnType<typeof buildGazetteItem>;

export const ELECTORAL_COURTS: readonly string[] = ['TSE', ...UFS.map((state) => `TRE-${state}`)];
const ITEM = /^djee-([a-z]{2,3})-(\d{4}-\d{2}-\d{2})-(\d{1,3})$/;
const EDITION = /^djee-([a-z]{2,3})-(\d{4}-\d{2}-\d{2})$/;
const ITEMS_PER_EDITION = 12;

/** `TRE-SP`, `TRESP`, `tre sp`, `TSE` → the court's name; undefined for anything else. */
export function readElectoralCourt(text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[^A-Z]/g, '');
  return ELECTORAL_COURTS.find((court) => court.replace('-', '') === plain);
}

export function boardItems(seed: string, court: string, date: string): readonly BoardItem[] {
  const season = Number(date.slice(0, 4)) % 2 === 0 && date.slice(5) >= '08-15' && date.slice(5) <= '12-19';
  const count = season ? deriveInteger(seed, 7, 'board', court, date) : 0;
  return Array.from({ length: count }, (_, place) => boardItem(seed, court, { date, place }));
}

function boardItem(seed: string, court: string, { date, place }: { readonly date: string; readonly place: number }) {
  const label = ['board item', court, date, place] as const;
  const lawyer = lawyerOf(seed, ...label);
  // The edition of the gazette's next working day.
  const edicaoId = editionId(court, isWorkingDay(date) ? date : nextWorkingDay(date));
  return {
    id: `mural-${codeOf(court)}-${date}-${place + 1}`,
    tribunal: court,
    data: date,
    numeroCnj: formatCnj(electoralCase(seed, court, label)),
    parte: personOf(seed, ...label).nome,
    advogado: { nome: lawyer.nome, oab: spellOab(lawyer, deriveInteger(seed, 5, 'style', ...label)) },
    unidade: `${1 + deriveInteger(seed, 30, 'zone', ...label)}ª Zona Eleitoral`,
    localidade: `Município fictício ${1 + deriveInteger(seed, 50, 'place', ...label)}`,
    documento: 'Decisão',
    texto: `Publicação fictícia do mural eletrônico ${court} ${date} ${place + 1}.`,
    edicaoId,
    publicacaoId: `${edicaoId}-${1 + (place % ITEMS_PER_EDITION)}`,
  };
}

/** Undefined when there is no such item: the id is wrong, the day is no working day, or it is later than `today`. */
export function gazetteItem(seed: string, id: string, today: string): GazetteItem | undefined {
  const [, code = '', date = '', place = ''] = ITEM.exec(id) ?? [];
  const court = courtOfCode(code);
  const number = Number(place);
  if (court === undefined || !isEdition(date, today) || number < 1 || number > ITEMS_PER_EDITION) return undefined;
  return buildGazetteItem(seed, id, { court, date, number });
}

function buildGazetteItem(
  seed: string,
  id: string,
  { court, date, number }: { readonly court: string; readonly date: string; readonly number: number },
) {
  return {
    id,
    edicaoId: editionId(court, date),
    tribunal: court,
    dataDisponibilizacao: date,
    dataPublicacao: nextWorkingDay(date),
    numeroCnj: formatCnj(electoralCase(seed, court, ['gazette', id])),
    titulo: `Despacho ${number}`,
    conteudo: `Conteúdo fictício da publicação ${number} do DJe Eleitoral ${court} de ${date}.`,
  };
}

export function gazetteEdition(
  id: string,
  today: string,
): { readonly court: string; readonly date: string } | undefined {
  const [, code = '', date = ''] = EDITION.exec(id) ?? [];
  const court = courtOfCode(code);
  return court === undefined || !isEdition(date, today) ? undefined : { court, date };
}

function isEdition(date: string, today: string): boolean {
  return isCivilDate(date) && date <= today && isWorkingDay(date);
}

function editionId(court: string, date: string): string {
  return `djee-${codeOf(court)}-${date}`;
}

function codeOf(court: string): string {
  return court.replace('TRE-', '').toLowerCase();
}

function courtOfCode(code: string): string | undefined {
  return ELECTORAL_COURTS.find((court) => codeOf(court) === code);
}

function electoralCase(seed: string, court: string, label: readonly (string | number)[]): string {
  const number = String(ELECTORAL_COURTS.indexOf(court)).padStart(2, '0');
  const sequence = String(600_000 + deriveInteger(seed, 99_999, 'electoral', ...label)).padStart(7, '0');
  return buildCnj(sequence, `20246${number}${number === '00' ? '0000' : '0001'}`);
}
