/**
 * The verifier against forgeries made from genuine deliveries. TRAMITA_BRIDGE_MUTATIONS is their number (1,000,000 take about
 * half a minute). TRAMITA_BRIDGE_SEED repeats a run.
 */
import { verifyDelivery, type BridgeAccount, type Verdict } from '../../src/bridge/index.js';
import { createRandom, genuine, mutate, type Signed } from '../bridge/mutate.js';

const MUTATIONS = Number(process.env['TRAMITA_BRIDGE_MUTATIONS'] ?? 50_000);
const SEED = Number(process.env['TRAMITA_BRIDGE_SEED'] ?? Date.now() % 1_000_000_000);
/** Mutants made from one genuine delivery. */
const FROM_ONE = 50;

const SECRET = 'secret-0123456789abcdef';
const OLDER = 'older-secret-0123456789';
const TOKEN = 'token-0123456789abcdef';
const account: BridgeAccount = {
  secrets: ['newer-secret-0123456', SECRET, OLDER],
  secretForm: 'utf8',
  tokens: [TOKEN],
};

const verdictOn = ({ headers, body }: Signed): Verdict =>
  verifyDelivery({ rawHeaders: headers.flat(), body, account, insecure: false });

it(`verifyDelivery refuses all of ${MUTATIONS} forgeries, and accepts their genuine originals (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  const refused = new Map<string, number>();
  const accepted: string[] = [];
  let original = genuine(random, { secret: SECRET, token: TOKEN });
  for (let place = 0; place < MUTATIONS; place += 1) {
    if (place % FROM_ONE === 0) {
      original = genuine(random, { secret: SECRET, token: TOKEN });
      expect(verdictOn(original)).toEqual({ ok: true });
    }
    const mutant = mutate(random, original, SECRET);
    if (verdictOn(mutant).ok) accepted.push(`${place}: ${mutant.change}`);
    else refused.set(mutant.change, (refused.get(mutant.change) ?? 0) + 1);
  }
  expect(accepted).toEqual([]);
  // Every kind of change was used, and each has its share of the refusals.
  expect(refused.size).toBe(15);
  for (const count of refused.values()) expect(count).toBeGreaterThan(MUTATIONS / 500);
}, 600_000);
