package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/internal/result"
)

// known is a subject with a name.
type known struct {
	name, title string
	level       result.Level // what gates when --level is not given
}

func knownSubjects() []known {
	return []known{{reference.Name, "the reference adapters of this repository, in process", result.Verbatim}}
}

func lookUp(name string) (known, bool) {
	for _, k := range knownSubjects() {
		if k.name == name {
			return k, true
		}
	}
	return known{}, false
}

type subjectItem struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Level string `json:"level"`
}

func listSubjects() ([][]string, any, error) {
	var rows [][]string
	var items []subjectItem
	for _, k := range knownSubjects() {
		rows = append(rows, []string{k.name, string(k.level), k.title})
		items = append(items, subjectItem{k.name, k.title, string(k.level)})
	}
	return rows, items, nil
}

// driverArgs is the command line that --subject gives, split as a shell
// would: quotes, $VARIABLES and ~ work, pipes and substitutions are refused.
//
// A value that names a file is that file, whatever it holds; else one with a
// space or a path separator is a command line. What is neither should be the
// name of a known subject: driverArgs returns nil.
func driverArgs(value string) ([]string, error) {
	if info, err := os.Stat(value); err == nil && !info.IsDir() {
		path := value
		if !strings.ContainsRune(path, os.PathSeparator) {
			path = "." + string(os.PathSeparator) + path
		}
		return runnable([]string{path})
	}
	if !strings.ContainsAny(value, " \t\n/"+string(os.PathSeparator)) {
		return nil, nil
	}
	args, err := shell.Fields(value, nil)
	if err != nil {
		return nil, fmt.Errorf("not a command line that a shell would take: %w", err)
	}
	if len(args) == 0 || args[0] == "" {
		return nil, errors.New("the command line is empty once its variables are filled in")
	}
	return runnable(args)
}

// runnable finds the program before anything is played.
func runnable(args []string) ([]string, error) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		if lookErr, ok := errors.AsType[*exec.Error](err); ok {
			err = lookErr.Err // the name is said already
		}
		if pathErr, ok := errors.AsType[*os.PathError](err); ok {
			err = pathErr.Err
		}
		return nil, fmt.Errorf("can't run %q: %w", args[0], err)
	}
	return append([]string{path}, args[1:]...), nil
}

// unknownSubject says what --subject could have been.
func unknownSubject(value string) error {
	var names []string
	for _, k := range knownSubjects() {
		names = append(names, k.name)
	}
	return fmt.Errorf("unknown subject %q: want %s, or a command line (with a path or a space, such as ./driver)", value, orList(names))
}
