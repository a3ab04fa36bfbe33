/** What an editor shows for a name of ours: every export of the entry points that users import has a docstring. */
import { join } from 'node:path';
import ts from 'typescript';
import { REPOSITORY } from './read-docs.js';

/** Not `tramita/workflow`, which has only the flows of docs/flows.md, nor `tramita/contract`, which has the service's terms. */
const ENTRY_POINTS = [
  'src/index',
  'src/client',
  'src/public-protocol',
  'src/nexus/index',
  'src/testing/index',
  'sandbox/index',
];

it('every export of the entry points for users has a docstring', () => {
  const paths = ENTRY_POINTS.map((entryPoint) => join(REPOSITORY, 'dist', `${entryPoint}.d.ts`));
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const exported = paths.flatMap((path) => {
    const file = program.getSourceFile(path);
    const entryPoint = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    return entryPoint === undefined ? [] : checker.getExportsOfModule(entryPoint);
  });
  const bare = exported.filter((symbol) => {
    const named = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return named.getDocumentationComment(checker).length === 0;
  });
  expect(exported.length).toBeGreaterThan(100);
  expect([...new Set(bare.map(({ name }) => name))]).toEqual([]);
});
