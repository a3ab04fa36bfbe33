/** A refused request: its status, and facts for the log. The message is ours and quotes nothing of the request. */
import { codeOfError } from '../contract/values/index.js';

const REFUSAL = 'TramitaCodecRefusal';

export type Refusal = Error & {
  readonly status: 400 | 401 | 403 | 503;
  readonly who?: string | undefined;
  readonly namespace?: string | undefined;
};

export function refusal(
  status: Refusal['status'],
  message: string,
  about: Pick<Refusal, 'who' | 'namespace'>,
): Refusal {
  const error = new Error(message);
  error.name = REFUSAL;
  return Object.assign(error, { status, ...about });
}

export function isRefusal(error: unknown): error is Refusal {
  return (error as Error).name === REFUSAL;
}

export function codeOf(error: unknown): string {
  return codeOfError(error) ?? (error as Error).name;
}
