package main

// What the edits of the catalogue import besides what the adapters do: the overlay can
// only name packages that are part of the program.
import (
	_ "encoding/base64"
	_ "encoding/json"
	_ "regexp"
	_ "strconv"

	_ "github.com/tidwall/gjson"
	_ "github.com/tidwall/sjson"
)
