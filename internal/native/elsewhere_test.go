package native_test

import (
	"testing"

	"example.com/replaycheck/internal/native"
	"example.com/replaycheck/internal/wire"
)

func TestElsewhere(t *testing.T) {
	for body, want := range map[string]bool{
		`{"previous_response_id":"resp_1"}`:     true,
		`{"conversation":{"id":"conv_1"}}`:      true,
		`{"conversation":"conv_1"}`:             true,
		`{"previous_response_id":null}`:         false,
		`{"conversation":null}`:                 false,
		`{"input":[{"conversation":"conv_1"}]}`: false,
		`{}`:                                    false,
		`[]`:                                    false,
	} {
		root, err := wire.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, api := range append(native.APIs(), "") {
			if got := native.Elsewhere(api, root); got != (want && api == native.Responses) {
				t.Errorf("%s to %q: got %t", body, api, got)
			}
		}
	}
}
