"""A worker in a namespace of its own whose workflow `callFlow` calls tramita as a Nexus service: start, result, cancel, failures.

    TEMPORAL_NAMESPACE=theirs python nexus_caller.py
    temporal workflow execute --namespace theirs --task-queue callers --type callFlow --input \
      '{"endpoint": "tramita", "operation": "refreshCase", "input": {"cnj": "1000001-51.2026.8.26.0100"}}'

The signal `letGo` cancels the operation. Environment: TEMPORAL_ADDRESS (127.0.0.1:7233), TEMPORAL_NAMESPACE (default).
"""

import asyncio
import os
import signal

from temporalio import workflow
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, CancelledError, NexusOperationError
from temporalio.worker import Worker

TASK_QUEUE = "callers"


@workflow.defn(name="callFlow")
class CallFlow:
    def __init__(self) -> None:
        self._is_let_go = False

    @workflow.signal(name="letGo")
    def let_go(self) -> None:
        self._is_let_go = True

    @workflow.run
    async def run(self, call: dict) -> dict:
        tramita = workflow.create_nexus_client(service="tramita", endpoint=call["endpoint"])
        try:
            operation = await tramita.start_operation(call["operation"], call["input"], output_type=dict)
            canceller = asyncio.create_task(self._cancel_when_let_go(operation))
            try:
                return {"result": await operation}
            finally:
                canceller.cancel()
        except NexusOperationError as error:
            return ending(error)

    async def _cancel_when_let_go(self, operation: workflow.NexusOperationHandle[dict]) -> None:
        await workflow.wait_condition(lambda: self._is_let_go)
        operation.cancel()


def ending(error: NexusOperationError) -> dict:
    """How an operation ended: `type` and details[0] of the innermost ApplicationError, as in schemas/failure.json."""
    found, cause = None, error.__cause__
    while cause is not None:
        if isinstance(cause, CancelledError):
            return {"cancelled": True}
        if isinstance(cause, ApplicationError):
            found = cause
        cause = cause.__cause__
    if found is None:
        raise error
    return {"failed": {"type": found.type, "message": found.message, "details": next(iter(found.details), None)}}


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with Worker(client, task_queue=TASK_QUEUE, workflows=[CallFlow]):
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(main())
