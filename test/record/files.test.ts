/** Records the history of a flow that waits for its file to reach the file store, for test/replay: `npm run record-histories`. */
import { startCallOperation } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { keepHistory } from './keep-history.js';

const store = temporaryFolder('record');

describe('histories of flows with a file store', () => {
  const flows = withFlows({ env: { TRAMITA_FILES: store } });

  it('a bought file', async () => {
    const call = { operation: 'getElectoralEditionPdf', params: { id: 'djee-mg-2026-03-12' } };
    const handle = await startCallOperation(flows.deps, call);
    expect(await handle.result()).toMatchObject({ status: 200, file: { contentType: 'application/pdf' } });
    await keepHistory(flows.client, 'call-operation-file-elsewhere', handle.workflowId);
  });
});
