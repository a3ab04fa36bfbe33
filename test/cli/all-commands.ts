/** Every command without subcommands, as `--help` lists them: `lists show`, not `lists`. */
import type { CommandRun } from './run-command.js';

export async function allCommands(
  run: (...args: readonly string[]) => Promise<Pick<CommandRun, 'out'>>,
  ...path: readonly string[]
): Promise<readonly string[]> {
  const { out } = await run(...path, '--help');
  const section = /\nCommands:\n((?: {2}.*\n?)+)/.exec(out)?.[1] ?? '';
  const names = [...section.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  if (names.length === 0) return [path.join(' ')];
  return (await Promise.all(names.map((name) => allCommands(run, ...path, name)))).flat();
}
