/** What an editor shows when somebody points at a name of ours: every export of the doors that users write against says what it is. */
import { join } from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from './read-docs.js';

/** `tramita/workflow` has the flows alone, which docs/flows.md explains, and `tramita/contract` the words of the service. */
const DOORS = [
  'src/index',
  'src/client',
  'src/public-protocol',
  'src/nexus/index',
  'src/testing/index',
  'sandbox/index',
];

it('every export of a door has a docstring', () => {
  const paths = DOORS.map((door) => join(REPOSITORY, 'dist', `${door}.d.ts`));
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const exported = paths.flatMap((path) => {
    const file = program.getSourceFile(path);
    const door = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    return door === undefined ? [] : checker.getExportsOfModule(door);
  });
  const bare = exported.filter((symbol) => {
    const named = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return named.getDocumentationComment(checker).length === 0;
  });
  expect(exported.length).toBeGreaterThan(100);
  expect([...new Set(bare.map(({ name }) => name))]).toEqual([]);
});
