/**
 * What an editor shows for a name of ours: every export of the entry points that users import has a docstring, and so has every
 * member of the interfaces of `tramita/contract` and `tramita/sandbox`.
 */
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

/** The exports of these entry points under their own names. */
function exportsOf(entryPoints: readonly string[]): {
  readonly checker: ts.TypeChecker;
  readonly exported: readonly ts.Symbol[];
} {
  const paths = entryPoints.map((entryPoint) => join(REPOSITORY, 'dist', `${entryPoint}.d.ts`));
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, skipLibCheck: true, types: [] });
  const checker = program.getTypeChecker();
  const exported = paths.flatMap((path) => {
    const file = program.getSourceFile(path);
    const entryPoint = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    const symbols = entryPoint === undefined ? [] : checker.getExportsOfModule(entryPoint);
    return symbols.map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  });
  return { checker, exported };
}

it('every export of the entry points for users has a docstring', () => {
  const { checker, exported } = exportsOf(ENTRY_POINTS);
  const bare = exported.filter((symbol) => symbol.getDocumentationComment(checker).length === 0);
  expect(exported.length).toBeGreaterThan(100);
  expect([...new Set(bare.map(({ name }) => name))]).toEqual([]);
});

it.each(['src/contract/index', 'sandbox/index'])('every member of an interface of %s has a docstring', (entryPoint) => {
  const { checker, exported } = exportsOf([entryPoint]);
  const interfaces = exported.filter(({ flags }) => flags & ts.SymbolFlags.Interface);
  expect(interfaces.length).toBeGreaterThan(5);
  const bare = interfaces.flatMap(({ name, members }) =>
    [...(members?.values() ?? [])]
      .filter(({ flags }) => !(flags & ts.SymbolFlags.TypeParameter))
      .filter((member) => member.getDocumentationComment(checker).length === 0)
      .map((member) => `${name}.${member.name}`),
  );
  expect(bare).toEqual([]);
});
