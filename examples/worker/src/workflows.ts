/** The bundle of this worker: tramita's flows, and a workflow of our own that calls them as children. */
import { executeChild, workflowInfo } from '@temporalio/workflow';
import type { RefreshCaseInput, RefreshCaseResult } from 'tramita/protocol';

export * from 'tramita/workflow';
export { default } from 'tramita/workflow';

export interface ReviewedCase {
  readonly cnj: string;
  readonly refreshedAt: string;
  readonly documents: number;
  readonly cost: string;
}

/** Refreshes some cases at the same time. Two reviews that want the same case share what one of them pays. */
export async function reviewCases(cases: readonly string[]): Promise<readonly ReviewedCase[]> {
  const { workflowId } = workflowInfo();
  return Promise.all(
    cases.map(async (cnj, place) => {
      const input: RefreshCaseInput = { cnj, documents: true, maxAge: '24h' };
      const result = await executeChild<(input: RefreshCaseInput) => Promise<RefreshCaseResult>>('refreshCase', {
        // an id of this review: the default id of the case may be running for somebody else
        workflowId: `${workflowId}.${place}`,
        args: [input],
      });
      const { refreshedAt, documents, spent } = result;
      return { cnj, refreshedAt, documents: documents.length, cost: spent.known };
    }),
  );
}
