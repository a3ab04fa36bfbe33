/** Helpers for faults: arm one (a refusal fails the test), list the fired ones, and make the call that most tests use. */
import { HAPPY, paths, type Caller, type Reply } from './client.js';

export const refresh = (sandbox: Caller) => sandbox.post(paths.refresh(HAPPY));
export const arm = async (sandbox: Caller, fault: object): Promise<Reply> => {
  const armed = await sandbox.control('/faults', { operation: 'requestRefresh', times: 1, ...fault });
  if (armed.status !== 200) throw new Error(`not armed: ${armed.bytes.toString()}`);
  return armed;
};
export const firedFaults = async (sandbox: Caller) =>
  (await sandbox.control('/faults')).json.faults.map((each) => [each.fault, each.fired, each.left] as const);
