package mutations

import (
	"embed"
	"io/fs"
	"sync"
)

//go:embed faults/*.yaml
var files embed.FS

// Catalogue returns the selected faults that ship with the product. The slice is
// shared: read it, don't change it.
var Catalogue = sync.OnceValues(func() ([]Fault, error) {
	dir, err := fs.Sub(files, "faults")
	if err != nil {
		return nil, err
	}
	return LoadFaults(dir)
})
