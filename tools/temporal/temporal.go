//go:build tools

// Pins what tramita builds where no Temporal is at hand: the command line tool (server, web UI and SQLite in one binary),
// and the server of production with the tool for its schema, for `npm run cluster`. Nothing is compiled from this file: the
// build tag keeps it out of every build, and the blank imports keep the tools and all they need in go.mod and go.sum.
// Built by src/local/temporal/build-temporal.ts.
package tools

import (
	_ "github.com/temporalio/cli/cmd/temporal"
	_ "go.temporal.io/server/cmd/server"
	_ "go.temporal.io/server/cmd/tools/sql"
)
