package oracles_test

import (
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"example.com/replaycheck/adapters/reference"
	"example.com/replaycheck/oracles"
)

func newReference() (oracles.Subject, error) { return reference.New(), nil }

var _ = oracles.Register(oracles.Config{New: newReference})

func TestContract(t *testing.T) {
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "the reference adapters")
}
