/** One line of what `tramita doctor` found. */
export interface Finding {
  readonly about: string;
  /** `failed`: a worker or bridge would not start or not work. */
  readonly state: 'ok' | 'warning' | 'failed';
  readonly text: string;
}

export const ok = findingOf('ok');
export const warning = findingOf('warning');
export const failed = findingOf('failed');

function findingOf(state: Finding['state']): (about: string, text: string) => Finding {
  return (about, text) => ({ about, state, text });
}
