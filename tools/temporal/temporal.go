//go:build tools

// Pins the Temporal command line tool (server, web UI and SQLite in one binary) that tramita builds when no other
// Temporal server is at hand. Nothing is compiled from this file: the build tag keeps it out of every build, and the
// blank import keeps the tool and all it needs in go.mod and go.sum. Built by src/local/build-temporal.ts.
package tools

import _ "github.com/temporalio/cli/cmd/temporal"
