/**
 * A command that starts or decides flows must have the settings of the workers, or it asks for the same work under another
 * id. A client often has no database, and one that is away or not migrated says nothing: the workers check it again.
 */
import { fingerprintProblem, fingerprintsOf, type Config } from '../../config/index.js';
import { connect, findMismatches } from '../../store/index.js';
import { failure } from '../exit-codes.js';

export async function refuseOtherSettings(config: Config): Promise<void> {
  if (config.databaseUrl === undefined) return;
  const db = connect({ url: config.databaseUrl, applicationName: 'tramita-cli', max: 1 });
  try {
    const wrong = await findMismatches(db, fingerprintsOf(config)).catch(() => []);
    if (wrong.length > 0) throw failure(wrong.map(fingerprintProblem).join('\n'));
  } finally {
    await db.destroy();
  }
}
