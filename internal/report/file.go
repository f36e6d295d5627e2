package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes path through write, all or nothing: into a temporary file of
// the same folder, which is renamed when complete. A file that was there keeps
// its content until then, and its permissions afterwards.
func WriteFile(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("report: write %s: %w", path, bare(err))
	}
	err = errors.Join(fill(tmp, path, write), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("report: write %s: %w", path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

func fill(tmp *os.File, path string, write func(io.Writer) error) error {
	buf := bufio.NewWriter(tmp)
	if err := errors.Join(write(buf), buf.Flush()); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return tmp.Chmod(mode)
}

// CheckFile reports whether WriteFile could write path, without leaving anything
// behind: its folder must be there and writable, and path no folder.
func CheckFile(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("report: write %s: it is a folder, want a file name", path)
	case err == nil && info.Mode()&os.ModeSymlink != 0:
		// Renaming would replace the link, be it /dev/stdout.
		return fmt.Errorf("report: write %s: it is a link; name the file itself, or - for standard output", path)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("report: write %s: it is no regular file; use - for standard output", path)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("report: write %s: %w", path, bare(err))
	}
	return checkWritable(filepath.Dir(path), path)
}

// CheckFolder reports whether files could be written below path, which need not
// exist yet: the nearest folder that does must be writable. It creates nothing.
func CheckFolder(path string) error {
	dir := path
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("report: write below %s: %s is a file, want a folder", path, dir)
		}
		if err == nil {
			return checkWritable(dir, path)
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || parent == dir {
			return fmt.Errorf("report: write below %s: %w", path, err)
		}
		dir = parent
	}
}

// checkWritable tries, because permission bits do not tell (read-only mounts,
// access lists, the superuser).
func checkWritable(dir, path string) error {
	tmp, err := os.CreateTemp(dir, ".replaycheck.*")
	if err != nil {
		return fmt.Errorf("report: write %s: folder %s: %w", path, dir, bare(err))
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// bare takes the temporary file's name off an error: it would only confuse.
func bare(err error) error {
	if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
