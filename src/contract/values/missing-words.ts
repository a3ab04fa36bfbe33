/** Whether words of a refusal (404) name what was not found, or only say that something was not. Pure. */

/** Words that say that something was not found, and not what: a case, a person or a court is named otherwise. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(
  [
    'not found notfound no such does do exist exists unknown invalid expired gone',
    'nao não encontrado encontrada localizado localizada existe inexistente inválido expirado',
    'the a o e id uuid job task item resource recurso protocolo route rota url',
    'status http error erro code api',
    // Of gateways, which know paths and no cases.
    'no with those values matched match on in at of this that for path page endpoint method url deployment could be was',
    'server service host domain app application backend default upstream gateway proxy name resolution failed cannot get',
  ].flatMap((words) => words.split(' ')),
);

export function namesWhatIsMissing(words: string): boolean {
  return words
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => word !== '' && !SAYS_NOTHING.has(word));
}
