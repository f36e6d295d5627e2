package red_test

import "testing"

func TestRed(t *testing.T) { t.Error("always") }
