import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cachedClusterServer, findClusterServer, type ClusterServer } from '../../src/local/index.js';
import { TEMPORAL_SERVER_VERSION } from '../../src/local/temporal/temporal-version.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { writeProgram } from './support/folders.js';

/** `build` writes a server of this version, or fails with this reason. */
async function find(
  home: string,
  outcome: { readonly version: string } | string,
): Promise<{ readonly found: ClusterServer; readonly builds: number }> {
  let builds = 0;
  const found = await findClusterServer({
    env: { XDG_CACHE_HOME: home },
    onProgress: () => undefined,
    build: ({ target }) => {
      builds += 1;
      if (typeof outcome === 'string') return Promise.resolve(outcome);
      writeProgram(join(target, 'server'), [`echo temporal version ${outcome.version}`]);
      writeProgram(join(target, 'sql'), ['exit 0']);
      return Promise.resolve(undefined);
    },
  });
  return { found, builds };
}

const GOOD = { version: TEMPORAL_SERVER_VERSION };

describe('the server of a cluster', () => {
  it('is built once, and then comes from the cache', async () => {
    const home = temporaryFolder('cluster-server');
    expect(cachedClusterServer({ XDG_CACHE_HOME: home })).toBeUndefined();
    const { found, builds } = await find(home, GOOD);
    const folder = join(home, 'tramita', `temporal-server-${TEMPORAL_SERVER_VERSION}`);
    expect(found).toEqual({ server: join(folder, 'server'), sqlTool: join(folder, 'sql') });
    expect(builds).toBe(1);
    expect(cachedClusterServer({ XDG_CACHE_HOME: home })).toEqual(found);
    expect(await find(home, 'not asked')).toEqual({ found, builds: 0 });
    expect(readdirSync(join(home, 'tramita'))).toEqual([`temporal-server-${TEMPORAL_SERVER_VERSION}`]);
  });

  it.each([
    ['there is no Go', 'there is no `go` on PATH', /there is no `go` on PATH.*Go 1\.21 or newer/],
    ['the build has another version', { version: '1.30.0' }, /it is version 1\.30\.0, not 1\./],
  ])('fails with one error that says how to get it when %s', async (_title, outcome, message) => {
    const home = temporaryFolder('cluster-server');
    await expect(find(home, outcome)).rejects.toThrow(message);
    expect(cachedClusterServer({ XDG_CACHE_HOME: home })).toBeUndefined();
    expect(existsSync(join(home, 'tramita', `temporal-server-${TEMPORAL_SERVER_VERSION}.lock`))).toBe(false);
    expect((await find(home, GOOD)).builds).toBe(1);
  });
});
