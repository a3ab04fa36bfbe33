/** Loaded before `tramita worker` (`--require`): its flows are those of the bundle that SOAK_BUNDLE names, as in another build. */
import { Worker } from '@temporalio/worker';

const { SOAK_BUNDLE: codePath = '' } = process.env;
const create = Worker.create.bind(Worker);
Worker.create = (options) =>
  create(options.workflowBundle === undefined ? options : { ...options, workflowBundle: { codePath } });
