// Command caller calls tramita from Go: start, result, progress, wake, settleCharge, resume.
//
// It reads one JSON object per line from stdin and writes one per line to stdout, so that it can be tried by hand:
//
//	{"do":"start","flow":"refreshCase","id":"refresh.default.10000015120268260100","input":{"cnj":"1000001-51.2026.8.26.0100"}}
//	{"do":"progress","id":"refresh.default.10000015120268260100"}
//	{"do":"result","id":"refresh.default.10000015120268260100"}
//
// Environment: TEMPORAL_ADDRESS (127.0.0.1:7233), TEMPORAL_NAMESPACE (default), TRAMITA_TASK_QUEUE (tramita), and
// SCHEMAS_DIR, the folder schemas of the package (../../schemas).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
)

// Call is one line of input.
type Call struct {
	Do    string         `json:"do"`
	ID    string         `json:"id"`
	Flow  string         `json:"flow"`
	Input map[string]any `json:"input"`
	// Check says whether the input is checked by its schema before anything is started; absent: yes.
	Check *bool `json:"check"`
}

// Answer is one line of output.
type Answer map[string]any

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
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var call Call
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			log.Fatal(err)
		}
		answer, err := answerTo(context.Background(), temporalClient, call)
		if err != nil {
			if answer, err = failureOf(err); err != nil {
				log.Fatal(err)
			}
		}
		if err := out.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}

func answerTo(ctx context.Context, c client.Client, call Call) (Answer, error) {
	switch call.Do {
	case "start":
		if call.Check == nil || *call.Check {
			if wrong := problem(call.Flow+".input.json", call.Input); wrong != nil {
				return Answer{"refused": []string{wrong.Error()}}, nil
			}
		}
		options := client.StartWorkflowOptions{ID: call.ID, TaskQueue: setting("TRAMITA_TASK_QUEUE", "tramita")}
		run, err := c.ExecuteWorkflow(ctx, options, call.Flow, call.Input)
		if err != nil {
			return nil, err
		}
		return Answer{"started": run.GetID()}, nil
	case "result":
		var result map[string]any
		err := c.GetWorkflow(ctx, call.ID, "").Get(ctx, &result)
		return Answer{"result": result}, err
	case "progress":
		value, err := c.QueryWorkflow(ctx, call.ID, "", "progress")
		if err != nil {
			return nil, err
		}
		var progress map[string]any
		err = value.Get(&progress)
		return Answer{"progress": progress}, err
	case "wake":
		return Answer{"woken": call.ID}, c.SignalWorkflow(ctx, call.ID, "", "wake", call.Input)
	case "settleCharge", "resume":
		handle, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID:   call.ID,
			UpdateName:   call.Do,
			Args:         []any{call.Input},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		if err != nil {
			return nil, err
		}
		var given map[string]any
		err = handle.Get(ctx, &given)
		return Answer{"answer": given}, err
	default:
		return Answer{"refused": []string{"unknown call " + call.Do}}, nil
	}
}

// failureOf says how a flow failed: type and details[0] as in schemas/failure.json. Other errors are not a flow's.
func failureOf(err error) (Answer, error) {
	var failed *temporal.ApplicationError
	if !errors.As(err, &failed) {
		return nil, err
	}
	var details map[string]any
	if failed.HasDetails() {
		if err := failed.Details(&details); err != nil {
			return nil, err
		}
	}
	return Answer{"failed": map[string]any{"type": failed.Type(), "message": failed.Message(), "details": details}}, nil
}

// problem says what is wrong with a value by one of the shipped schemas.
func problem(schema string, value map[string]any) error {
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join(setting("SCHEMAS_DIR", "../../schemas"), schema))
	if err != nil {
		return fmt.Errorf("%s: %w", schema, err)
	}
	return compiled.Validate(value)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
