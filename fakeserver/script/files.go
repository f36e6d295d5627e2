package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// files is where a script's text comes from.
type files interface {
	// text returns up to most bytes of a file, an error where it has more.
	text(name string, most int64) (string, error)
}

type rootFiles struct{ root *os.Root }

func (f rootFiles) text(name string, most int64) (string, error) {
	// Asked before it is opened: opening a pipe waits for its other end.
	info, err := f.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return "", bare(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("is no file")
	}
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", bare(err)
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return "", bare(err)
	}
	if int64(len(b)) > most {
		return "", fmt.Errorf("is too long: a script and what it includes may have %d bytes", maxFile)
	}
	return string(b), nil
}

// bare drops what a path error says besides the reason: the path is said
// already, and the whole of it is nobody's business.
func bare(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

type oneFile struct{ name, content string }

func (f oneFile) text(name string, most int64) (string, error) {
	switch {
	case name != f.name:
		return "", errors.New("this script can't include files")
	case int64(len(f.content)) > most:
		return "", fmt.Errorf("is too long: a script may have %d bytes", maxFile)
	}
	return f.content, nil
}
