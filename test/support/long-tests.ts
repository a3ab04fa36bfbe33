/** For rungs on a real Temporal server. Waits in tests have deadlines of their own; this only ends a test that hangs. */
jest.setTimeout(240_000);
