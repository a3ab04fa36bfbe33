"""Calls tramita from Python: start, result, progress, wake, settleCharge, resume.

Reads one JSON object per line from stdin and writes one per line to stdout, so that it can be tried by hand:

    {"do": "start", "flow": "refreshCase", "id": "refresh.default.10000015120268260100", "input": {"cnj": "1000001-51.2026.8.26.0100"}}
    {"do": "progress", "id": "refresh.default.10000015120268260100"}
    {"do": "result", "id": "refresh.default.10000015120268260100"}

Environment: TEMPORAL_ADDRESS (127.0.0.1:7233), TEMPORAL_NAMESPACE (default), TRAMITA_TASK_QUEUE (tramita), and
SCHEMAS_DIR, the folder `schemas` of the package (../../schemas).
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from jsonschema import Draft7Validator
from temporalio.client import Client, WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

SCHEMAS = Path(os.environ.get("SCHEMAS_DIR", "../../schemas"))
TASK_QUEUE = os.environ.get("TRAMITA_TASK_QUEUE", "tramita")


def problems(schema: str, value: object) -> list[str]:
    """What is wrong with a value by one of the shipped schemas."""
    validator = Draft7Validator(json.loads((SCHEMAS / schema).read_text()))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def failure(error: BaseException | None) -> dict:
    """How a flow failed: `type` and details[0] as in schemas/failure.json."""
    if not isinstance(error, ApplicationError):
        raise error or RuntimeError("a failure without a cause")
    return {"failed": {"type": error.type, "message": error.message, "details": next(iter(error.details), None)}}


async def answer(client: Client, call: dict) -> dict:
    workflow_id = call["id"]
    handle = client.get_workflow_handle(workflow_id)
    match call["do"]:
        case "start":
            wrong = problems(f"{call['flow']}.input.json", call["input"])
            if wrong and call.get("check", True):
                return {"refused": wrong}
            started = await client.start_workflow(call["flow"], call["input"], id=workflow_id, task_queue=TASK_QUEUE)
            return {"started": started.id}
        case "result":
            try:
                return {"result": await handle.result()}
            except WorkflowFailureError as error:
                return failure(error.cause)
        case "progress":
            return {"progress": await handle.query("progress")}
        case "wake":
            await handle.signal("wake", call["input"])
            return {"woken": workflow_id}
        case "settleCharge" | "resume" as update:
            try:
                return {"answer": await handle.execute_update(update, call["input"])}
            except WorkflowUpdateFailedError as error:
                return failure(error.cause)
        case other:
            return {"refused": [f"unknown call {other}"]}


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await answer(client, json.loads(line))), flush=True)


asyncio.run(main())
