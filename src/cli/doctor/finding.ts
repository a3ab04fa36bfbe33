/** One line of what `tramita doctor` found. */
export interface Finding {
  readonly about: string;
  /** `failed`: a worker or bridge would not start or not work. */
  readonly state: 'ok' | 'warning' | 'failed';
  readonly text: string;
}
