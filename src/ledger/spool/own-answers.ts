/** The open answers of this process by the file that each is in, known without a read. */

export interface OwnAnswers {
  /** True if the file is new. */
  readonly add: (file: string, answer: { readonly intentId: string; readonly atMs: number }) => boolean;
  readonly remove: (file: string, intentId: string) => void;
  readonly ids: () => readonly string[];
  /** The file of an open answer, and when it was written, epoch ms. */
  readonly find: (intentId: string) => { readonly file: string; readonly atMs: number } | undefined;
  readonly isOwn: (file: string) => boolean;
  readonly files: () => readonly string[];
  readonly hasOpen: (file: string) => boolean;
  readonly forget: (file: string) => void;
  readonly forgetAll: () => void;
}

export function createOwnAnswers(): OwnAnswers {
  const files = new Map<string, Map<string, number>>();
  return {
    add: (file, { intentId, atMs }) => {
      const known = files.get(file);
      files.set(file, (known ?? new Map<string, number>()).set(intentId, atMs));
      return known === undefined;
    },
    remove: (file, intentId) => void files.get(file)?.delete(intentId),
    ids: () => [...files.values()].flatMap((answers) => [...answers.keys()]),
    find: (intentId) => {
      for (const [file, answers] of files) {
        const atMs = answers.get(intentId);
        if (atMs !== undefined) return { file, atMs };
      }
      return undefined;
    },
    isOwn: (file) => files.has(file),
    files: () => [...files.keys()],
    hasOpen: (file) => (files.get(file)?.size ?? 0) > 0,
    forget: (file) => void files.delete(file),
    forgetAll: () => files.clear(),
  };
}
