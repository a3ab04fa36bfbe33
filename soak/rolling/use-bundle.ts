/** Loaded before `tramita worker` (`--require`): the worker runs the bundle that SOAK_BUNDLE names, as another build would. */
import { Worker } from '@temporalio/worker';

const { SOAK_BUNDLE: codePath = '' } = process.env;
const create = Worker.create.bind(Worker);
Worker.create = (options) =>
  create(options.workflowBundle === undefined ? options : { ...options, workflowBundle: { codePath } });
