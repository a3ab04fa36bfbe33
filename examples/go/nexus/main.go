// Command nexus is a worker in a namespace of its own whose workflow callFlow calls tramita as a Nexus service: start, result,
// cancel, failures.
//
//	TEMPORAL_NAMESPACE=theirs go run ./nexus
//	temporal workflow execute --namespace theirs --task-queue callers --type callFlow --input \
//	  '{"endpoint": "tramita", "operation": "refreshCase", "input": {"cnj": "1000001-51.2026.8.26.0100"}}'
//
// The signal letGo cancels the operation. Environment: TEMPORAL_ADDRESS (127.0.0.1:7233), TEMPORAL_NAMESPACE (default).
package main

import (
	"errors"
	"log"
	"log/slog"
	"os"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Call is the input of callFlow.
type Call struct {
	Endpoint  string         `json:"endpoint"`
	Operation string         `json:"operation"`
	Input     map[string]any `json:"input"`
}

// Ending says how an operation ended; one of its members is there.
type Ending struct {
	Result    map[string]any `json:"result,omitempty"`
	Cancelled bool           `json:"cancelled,omitempty"`
	Failed    *Failed        `json:"failed,omitempty"`
}

// Failed has the type of the failure, and details[0] as in schemas/failure.json.
type Failed struct {
	Type    string         `json:"type"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// CallFlow calls one operation, which has the name of a flow, and waits for its end.
func CallFlow(ctx workflow.Context, call Call) (Ending, error) {
	tramita := workflow.NewNexusClient(call.Endpoint, "tramita")
	running, cancel := workflow.WithCancel(ctx)
	operation := tramita.ExecuteOperation(running, call.Operation, call.Input, workflow.NexusOperationOptions{})
	workflow.Go(ctx, func(ctx workflow.Context) {
		workflow.GetSignalChannel(ctx, "letGo").Receive(ctx, nil)
		cancel()
	})
	var result map[string]any
	err := operation.Get(ctx, &result)
	var canceled *temporal.CanceledError
	switch {
	case err == nil:
		return Ending{Result: result}, nil
	case errors.As(err, &canceled):
		return Ending{Cancelled: true}, nil
	}
	failed, err := failureOf(err)
	return Ending{Failed: failed}, err
}

// failureOf reads the innermost application failure. Other errors are not a flow's.
func failureOf(err error) (*Failed, error) {
	var innermost *temporal.ApplicationError
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if found, ok := cause.(*temporal.ApplicationError); ok {
			innermost = found
		}
	}
	if innermost == nil {
		return nil, err
	}
	failed := Failed{Type: innermost.Type(), Message: innermost.Message()}
	if innermost.HasDetails() {
		if err := innermost.Details(&failed.Details); err != nil {
			return nil, err
		}
	}
	return &failed, nil
}

func main() {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	temporalClient, err := client.Dial(client.Options{
		HostPort:  setting("TEMPORAL_ADDRESS", "127.0.0.1:7233"),
		Namespace: setting("TEMPORAL_NAMESPACE", "default"),
		Logger:    sdklog.NewStructuredLogger(quiet),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer temporalClient.Close()
	callers := worker.New(temporalClient, "callers", worker.Options{})
	callers.RegisterWorkflowWithOptions(CallFlow, workflow.RegisterOptions{Name: "callFlow"})
	if err := callers.Run(worker.InterruptCh()); err != nil {
		log.Fatal(err)
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
