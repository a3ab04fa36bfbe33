/**
 * The files of a case are erased from an S3 bucket that keeps versions, while the store goes away and the command is killed.
 * Afterwards no version of any object contains them, and the files of another case are unchanged.
 */
import { randomBytes } from 'node:crypto';
import { formatCnj } from '../../src/contract/index.js';
import { createProxy, type Proxy } from '../../soak/wire.js';
import { withFlows } from '../flows/with-flows.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { describeWithS3 } from '../support/s3-server.js';
import { subjectCommand } from './subject-command.js';

const NAMESPACE = `subject-files-${randomBytes(4).toString('hex')}`;

describeWithS3('files of a subject in S3', (server) => {
  const flows = withFlows({ namespace: NAMESPACE, worker: false });
  let proxy: Proxy;
  const credentials = (): Record<string, string> => {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
    return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  };
  const store = (): Record<string, string> => ({ ...server.env(proxy.address), ...credentials() });
  const { tramita, find, eraseKilled, requester } = subjectCommand(flows, NAMESPACE, store);

  beforeAll(async () => {
    proxy = await createProxy(server.address);
    flows.atEnd(() => proxy.close());
    await server.keepVersions();
    await flows.startWorker(store());
  });

  /** Buys the files of a case and returns their keys. */
  const buy = async (cnj: string): Promise<readonly string[]> => {
    const { documents } = await (
      await flows.refresh({ cnj, documents: true, download: true, webhook: false })
    ).result();
    return documents.map(({ stored = '' }) => stored.replace(`s3://${server.bucket}/`, ''));
  };
  /** Keys of the objects that name a case in their bytes, in any version. */
  const keysNaming = async (cnj: string): Promise<readonly string[]> =>
    (await server.versions()).flatMap(({ key, bytes }) => (bytes?.includes(formatCnj(cnj)) === true ? [key] : []));
  const stored = (cnj: string) =>
    flows.database.db.selectFrom('tramita.public_document').select('stored').where('cnj', '=', cnj).execute();

  it('are erased in every version despite interrupted erasures, and files of another case stay', async () => {
    const [mine, other] = [newCaseWithDocuments(), newCaseWithDocuments()];
    const [keys, others] = [await buy(mine), await buy(other)];
    expect(keys.length).toBeGreaterThan(0);
    expect([...(await keysNaming(mine))].sort()).toEqual([...keys].sort());
    const ofOther = await stored(other);
    const who = ['--cnj', mine];
    expect(await find(who)).toMatchObject({ files: keys.length });

    proxy.lead(undefined);
    const refused = await tramita(['erase', ...who, ...requester, '--yes']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/the file store cannot be/)]);
    expect([...(await keysNaming(mine))].sort()).toEqual([...keys].sort());
    proxy.lead(server.address);
    // The records no longer name the files, but the bucket still has them, and `find` reports them.
    expect(await find(who)).toMatchObject({ files: keys.length });

    expect(await eraseKilled(who, 5)).toEqual({ kills: 5, complete: true });
    expect(await find(who)).toEqual({});
    const left = (await server.versions()).map(({ key }) => key);
    expect([await keysNaming(mine), left.filter((key) => keys.includes(key))]).toEqual([[], []]);

    expect([...(await keysNaming(other))].sort()).toEqual([...others].sort());
    expect(await stored(other)).toEqual(ofOther);
    expect(await find(['--cnj', other])).toMatchObject({ files: others.length });
  }, 300_000);
});
