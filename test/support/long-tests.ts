/** For rungs on a real Temporal server: what a test waits for is bounded by its own deadlines, this only ends a hung one. */
jest.setTimeout(240_000);
