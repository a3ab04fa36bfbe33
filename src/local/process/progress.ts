/**
 * What the local stack reports to its watcher. Nothing in this room prints: the command line renders these,
 * `decision` and `step` as lines, `tick` as one line that is overwritten (and dropped where there is no terminal).
 */
export interface LocalProgress {
  readonly about: 'temporal' | 'postgres' | 'stack';
  readonly kind: 'decision' | 'step' | 'tick';
  readonly text: string;
}

export type OnProgress = (progress: LocalProgress) => void;

export type Say = (kind: LocalProgress['kind'], text: string) => void;

export function sayAbout(about: LocalProgress['about'], onProgress: OnProgress): Say {
  return (kind, text) => onProgress({ about, kind, text });
}
