/** A short run of `npm run model`: the rules within a few moves, and three of the defects. */
import { DEFECTS, DEFECT_NAMES } from '../../model/defects.js';
import { runOne } from '../../model/run-one.js';
import { findStuck } from '../../model/ways-on.js';
import { WORLDS } from '../../model/worlds.js';

/** Each run visits thousands of states. The timeout catches a hang, not a slow machine. */
jest.setTimeout(120_000);

const worlds = WORLDS.map((_, world) => world);

beforeAll(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterAll(() => jest.restoreAllMocks());

describe('the model of database, workers, flows, service and person', () => {
  test('keeps every promise, and leads from every state to an end, if nothing goes wrong', () => {
    const run = runOne({ title: 'rules', worlds: [0, 1], mishaps: 0 });
    expect(run.broken).toBeUndefined();
    expect(run.whole).toBe(true);
    expect(run.states).toBeGreaterThan(200);
  });

  test('keeps every promise within nine moves and one mishap', () => {
    const run = runOne({ title: 'rules', worlds, mishaps: 1, depth: 9 });
    expect(run.broken).toBeUndefined();
    expect(run.states).toBeGreaterThan(5_000);
  });

  test.each([
    ['an open row of another attempt is sent', 6, /was sent twice/],
    ['equal calls are not joined', 9, /equal calls were charged twice/],
    ['a late answer moves a decided row', 8, /the decided row of A#1 became/],
  ] as const)('finds the defect "%s" by a shortest trace of %d moves', (defect, length, promise) => {
    const { broken } = runOne({ title: defect, defect, worlds, mishaps: DEFECTS[defect].mishaps });
    expect(broken?.promise).toMatch(promise);
    expect(broken?.trace).toHaveLength(length);
  });

  test('has at least twelve defects, each with its rule', () => {
    expect(DEFECT_NAMES.length).toBeGreaterThanOrEqual(12);
  });

  test('finds a state from which no way leads to an end', () => {
    // 0 → 1 → 0, and 0 → 2, which is an end. 3 leads only to itself.
    const graph = { targets: Int32Array.of(1, 2, 0, 3), starts: Int32Array.of(0, 2, 3, 3, 4) };
    expect(findStuck({ ...graph, ends: Int32Array.of(0, 0, 1, 0) })).toBe(3);
    expect(findStuck({ ...graph, ends: Int32Array.of(0, 0, 1, 1) })).toBeUndefined();
  });
});
