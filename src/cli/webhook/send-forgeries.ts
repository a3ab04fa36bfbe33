/**
 * Posts the forgeries of `tramita webhook send --forge` one after the other and judges the answers. A receiver that refuses
 * everything would pass, so a genuine probe about no case goes first.
 */
import type { CliContext } from '../context.js';
import { buildEventBody, PROBE_CNJ } from './event-body.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printJson, printLine } from '../output/output.js';
import { isSuccess, NO_ANSWER, postDelivery } from './post-delivery.js';
import { forgeDeliveries, genuineHeaders, type Credentials } from './webhook-forgeries.js';

export interface ToSend {
  readonly to: URL;
  readonly body: Buffer;
  readonly event: string;
  readonly credentials: Credentials;
  readonly json: boolean;
}

interface ForgeryResult {
  readonly name: string;
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly verdict: 'refused' | 'ACCEPTED' | 'not refused';
}

export async function sendForgeries(context: CliContext, toSend: ToSend): Promise<ExitCode> {
  const { to, body, event, credentials, json } = toSend;
  const probe = buildEventBody({ event, cnj: PROBE_CNJ });
  const headers = genuineHeaders(probe, credentials, event);
  const { status: probeStatus } = await postDelivery(to, { body: probe, headers });
  const probeAccepted = isSuccess(probeStatus);
  if (!json)
    printLine(context, `${(probeAccepted ? 'accepted' : 'REFUSED').padEnd(11)} ${probeStatus}  a genuine probe`);
  const forgeries: ForgeryResult[] = [];
  for (const { name, ...delivery } of forgeDeliveries(body, credentials, event)) {
    const status = await statusOf(to, delivery);
    const verdict = verdictOn(status);
    forgeries.push({ name, status, verdict });
    if (!json) printLine(context, `${verdict.padEnd(11)} ${status ?? '---'}  ${name}`);
  }
  const refused = forgeries.filter(({ verdict }) => verdict === 'refused').length;
  const wrong = forgeries.length - refused;
  if (json) printJson(context, { probe: { status: probeStatus, accepted: probeAccepted }, forgeries, refused, wrong });
  else {
    printLine(context, `\n${refused} of ${forgeries.length} forgeries refused`);
    if (!probeAccepted) {
      printLine(
        context,
        'The genuine probe was refused too: is the secret that of the receiver? This run proves nothing.',
      );
    }
  }
  return wrong === 0 && probeAccepted ? EXIT.ok : EXIT.failed;
}

/** Null without an answer: a receiver that answered the probe may just hang up on a forgery. */
async function statusOf(to: URL, delivery: Parameters<typeof postDelivery>[1]): Promise<number | null> {
  try {
    return (await postDelivery(to, delivery)).status;
  } catch (error) {
    if ((error as Error).name === NO_ANSWER) return null;
    throw error;
  }
}

/** Only a 4xx tells the sender that its delivery is refused. Pure. */
function verdictOn(status: number | null): ForgeryResult['verdict'] {
  if (status !== null && isSuccess(status)) return 'ACCEPTED';
  return status !== null && status >= 400 && status < 500 ? 'refused' : 'not refused';
}
