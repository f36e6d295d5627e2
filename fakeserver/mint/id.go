package mint

import (
	"crypto/hmac"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// An identifier is a prefix such as "call_" and hexadecimal digits that say, in
// the clear, of which reply and part it is and how many there are.
const (
	idMagic    = 0xC5
	idHead     = 6 // bytes: magic, length, step, part
	ShortestID = 20
	LongestID  = 64
)

// ID makes an identifier with so many digits after its prefix: an even number
// from ShortestID to LongestID. part 0 is the reply itself. Equal arguments make
// equal identifiers.
func ID(seed, prefix string, step, part, digits int) (string, error) {
	switch {
	case digits < ShortestID || digits > LongestID || digits%2 != 0:
		return "", fmt.Errorf("mint: got %d digits, want an even number from %d to %d", digits, ShortestID, LongestID)
	case step < 1 || step > maxStep || part < 0 || part > maxStep:
		return "", fmt.Errorf("mint: got step %d and part %d, want 1 to %d, and a part from 0", step, part, maxStep)
	}
	return prefix + rawID(seed, prefix, step, part, digits), nil
}

func rawID(seed, prefix string, step, part, digits int) string {
	head := []byte{idMagic, byte(digits)}
	head = binary.BigEndian.AppendUint16(head, uint16(step))
	head = binary.BigEndian.AppendUint16(head, uint16(part))
	tag := seal(seed+"\x00"+prefix, head)
	return hex.EncodeToString(append(head, tag...))[:digits]
}

// ReadID returns what an identifier says of itself: only Step and Part are set,
// and Part is 0 where it is the reply's. The errors are those of Read; ErrSeed
// may be an edited one too.
func ReadID(seed, id string) (Stamp, error) {
	at := strings.LastIndexAny(id, "_-") + 1
	prefix, digits := id[:at], id[at:]
	if len(digits) < 2*idHead {
		return Stamp{}, ErrNotMinted
	}
	head, err := hex.DecodeString(digits[:2*idHead])
	if err != nil || head[0] != idMagic {
		return Stamp{}, ErrNotMinted
	}
	n := int(head[1])
	s := Stamp{Step: int(binary.BigEndian.Uint16(head[2:4])), Part: int(binary.BigEndian.Uint16(head[4:6]))}
	switch {
	case n < ShortestID || n > LongestID || n%2 != 0 || s.Step == 0:
		return Stamp{}, ErrNotMinted
	case len(digits) < n:
		return s, fmt.Errorf("%w: %d of %d digits", ErrTruncated, len(digits), n)
	case len(digits) > n:
		return s, fmt.Errorf("%w: %d digits instead of %d", ErrEdited, len(digits), n)
	case !hmac.Equal([]byte(digits), []byte(rawID(seed, prefix, s.Step, s.Part, n))):
		return s, fmt.Errorf("%w, or edited", ErrSeed)
	}
	return s, nil
}
