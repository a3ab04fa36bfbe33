/**
 * The same forgeries as in `test/pure/bridge-mutations.test.ts`, now as bytes on real sockets: what the HTTP parser makes of
 * them must not make them genuine either. TRAMITA_BRIDGE_SOCKET_MUTATIONS says how many (20,000 take about a minute),
 * TRAMITA_BRIDGE_SEED repeats a run.
 */
import { createRandom, genuine, mutate, type Signed } from './mutate.js';
import { SECRET, TOKEN, speak, withBridge } from './support.js';

const MUTATIONS = Number(process.env['TRAMITA_BRIDGE_SOCKET_MUTATIONS'] ?? 500);
const SEED = Number(process.env['TRAMITA_BRIDGE_SEED'] ?? Date.now() % 1_000_000_000);
const AT_ONCE = 8;
/** After so many forgeries a genuine delivery, which the bridge must still accept. */
const GENUINE_EVERY = 100;

const post = async (port: number, { headers, body }: Signed): Promise<number> => {
  const lines = [
    'POST /webhooks/both HTTP/1.1',
    'Host: x',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  const answer = await speak(port, [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
};

it(`the bridge answers ${MUTATIONS} forgeries with 401 or 400 and stores none of them (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const answers = new Map<number, number>();
  const wrong: string[] = [];
  let sent = 0;
  let genuineCount = 0;
  await withBridge({}, async ({ port, inbox, metric }) => {
    const work = async (): Promise<void> => {
      while (sent < MUTATIONS) {
        const place = (sent += 1);
        const original = genuine(random, { secret: SECRET, token: TOKEN });
        if (place % GENUINE_EVERY === 0) {
          genuineCount += 1;
          expect(await post(port, original)).toBe(202);
        }
        const mutant = mutate(random, original, SECRET);
        const status = await post(port, mutant);
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status !== 401 && status !== 400) wrong.push(`${place}: ${mutant.change} was answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(wrong).toEqual([]);
    expect(inbox.events.size).toBe(genuineCount);
    // An alarm counts these, so no stranger may cause one.
    expect(await metric('refused_total{reason="error"}')).toBe(0);
  });
  expect(genuineCount).toBe(Math.floor(MUTATIONS / GENUINE_EVERY));
  expect(answers.get(401)).toBeGreaterThan(MUTATIONS / 2);
}, 600_000);
