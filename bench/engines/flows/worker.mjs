/** The program that is killed: `worker.mjs <engine> <settings as JSON>`. Prints `ready` when it works. */
const [, , engine, settings] = process.argv;
const { work } = await import(`./${engine}.mjs`);
await work(JSON.parse(settings));
process.stdout.write('ready\n');
