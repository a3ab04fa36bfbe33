/** SIGTERM and SIGINT as a promise: the first one asks for an orderly end, the second one ends the process by default. */
export function untilSignal(): { readonly signalled: Promise<NodeJS.Signals>; readonly forget: () => void } {
  const names = ['SIGTERM', 'SIGINT'] as const;
  let forget = (): void => undefined;
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    const handler = (name: NodeJS.Signals): void => {
      forget();
      resolve(name);
    };
    for (const name of names) process.on(name, handler);
    forget = () => {
      for (const name of names) process.off(name, handler);
    };
  });
  return { signalled, forget };
}
