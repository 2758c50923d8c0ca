// Command sofab is the command line of package sofab.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `sofab encodes Go structs as SofaBuffers messages.

Usage:

	sofab demo [-data file] [-rounds n]

demo sends an order book over a loopback connection, once as a SofaBuffers
message and once as JSON, checks that what arrives is what was sent, and
prints what each of them cost.

	-data file   an order book as JSON instead of the one built in
	-rounds n    how often each message is sent (default 60)
`

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	switch args[0] {
	case "demo":
		return runDemo(args[1:], stdout, stderr)
	case "-h", "-help", "--help", "help":
		fmt.Fprint(stdout, usage)
		return exitOK
	}
	fmt.Fprintf(stderr, "sofab: unknown command %q\n\n%s", args[0], usage)
	return exitUsage
}

func runDemo(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("data", "", "")
	rounds := flags.Int("rounds", 60, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitOK
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && *rounds < 1:
		err = fmt.Errorf("-rounds must be at least 1")
	}
	if err != nil {
		fmt.Fprintf(stderr, "sofab demo: %v\n\n%s", err, usage)
		return exitUsage
	}

	book, source, err := loadBook(*file)
	if err == nil {
		err = demo(stdout, book, source, *rounds, codecs)
	}
	if err != nil {
		fmt.Fprintf(stderr, "sofab demo: %v\n", err)
		return exitFailed
	}
	return exitOK
}
