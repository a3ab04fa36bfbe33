/** Loaded before the programs of a demo: its sandbox takes longer for a refresh, so that a flow can be met while it waits. */
if (/sandbox.main\.js$/.test(process.argv[1])) process.argv.push('--refresh-ms', process.env.SLOW_REFRESH_MS);
