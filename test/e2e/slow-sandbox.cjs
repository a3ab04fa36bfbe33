/** Preloaded into the programs of a demo: the sandbox takes longer for a refresh, so that a test can meet a waiting flow. */
if (/sandbox.main\.js$/.test(process.argv[1])) process.argv.push('--refresh-ms', process.env.SLOW_REFRESH_MS);
