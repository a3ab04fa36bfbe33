/**
 * What every plain engine calls: the same three steps with the same service and the same table, so that only the engines
 * differ. An answer that is not the expected one is an error; the engine's own retries follow.
 *
 * @typedef {object} Settings configuration of a worker, a receiver and a caller
 * @property {string} apiUrl the service
 * @property {string} databaseUrl a database of this engine alone; table `refreshed` is in it
 * @property {string} temporalAddress
 * @property {number} redisPort
 * @property {{ ingress: string, admin: string, servicePort: number }} restate
 * @property {'documented' | 'once'} tries how often the paid call is made: as the documents of the engine show, or once
 * @property {string} secret of the webhooks
 * @property {string} scratch path whose beginning is this engine's own, for files
 */
import pg from 'pg';

const TIMEOUT_MS = 10_000;
const HEADERS = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' };

/** How long a flow waits for the webhook before it polls. Every webhook is sent here, so this covers a lost one only. */
export const WEBHOOK_WITHIN_SECONDS = 60;
/** How long one step may take: a little more than the time limit of its call. */
export const STEP_WITHIN_SECONDS = 15;

/** @param {Settings} settings */
export function openSteps({ apiUrl, databaseUrl }) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  return {
    /** The paid call. Returns the id of the work that it began. */
    async requestRefresh(/** @type {string} */ cnj) {
      const { status, json } = await call(`${apiUrl}/v1/processos/cnj/${cnj}/solicitar-atualizacao`, {
        method: 'POST',
        body: JSON.stringify({ enviar_callback: 1 }),
      });
      if (status !== 202) throw new Error(`the refresh was answered ${status}`);
      return json.data.requestId;
    },
    /** Free. Throws while the work runs. */
    async readResult(/** @type {string} */ requestId) {
      const { status, json } = await call(`${apiUrl}/v1/requests/${requestId}`, { method: 'GET' });
      if (status !== 200) throw new Error(`the result was answered ${status}`);
      return json.data;
    },
    /** May run twice. */
    async store(/** @type {string} */ cnj, /** @type {unknown} */ result) {
      await pool.query('insert into refreshed (cnj, result) values ($1, $2) on conflict (cnj) do nothing', [
        cnj,
        JSON.stringify(result),
      ]);
    },
    async isStored(/** @type {string} */ cnj) {
      return (await pool.query('select 1 from refreshed where cnj = $1', [cnj])).rowCount === 1;
    },
  };
}

async function call(url, init) {
  const answer = await fetch(url, { ...init, headers: HEADERS, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { status: answer.status, json: await answer.json() };
}
