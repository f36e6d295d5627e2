package runstore

import (
	"errors"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/xchacha20poly1305"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// KeySize is how many bytes a key of KeysOf has.
const KeySize = 32

// Keys seal what the store keeps (XChaCha20-Poly1305, whose random nonces are
// long enough for any number of writes). The first key of a set, its primary,
// seals; all of them open. Keys print as nothing but their type.
type Keys struct{ aead tink.AEAD }

// String keeps the keys out of logs.
func (*Keys) String() string { return "runstore.Keys" }

// GoString keeps the keys out of logs.
func (*Keys) GoString() string { return "runstore.Keys" }

// errKeys is constant: what is wrong with a key set may quote it.
var errKeys = errors.New("runstore: read the keys: want a Tink key set of AEAD keys as JSON")

// GenerateKeys returns a new key set of one key as JSON (Tink's form), for
// ParseKeys. Keep it as you keep a password.
func GenerateKeys() (string, error) { return addKey(keyset.NewManager()) }

// RotateKeys returns the key set with a new primary key. The older keys stay,
// so that what they sealed can be opened.
func RotateKeys(text string) (string, error) {
	handle, err := readKeys(text)
	if err != nil {
		return "", err
	}
	return addKey(keyset.NewManagerFromHandle(handle))
}

func addKey(m *keyset.Manager) (string, error) {
	id, err := m.Add(aead.XChaCha20Poly1305KeyTemplate())
	if err != nil {
		return "", errors.New("runstore: make a key: " + err.Error())
	}
	if err := m.SetPrimary(id); err != nil {
		return "", errors.New("runstore: make a key: " + err.Error())
	}
	handle, err := m.Handle()
	if err != nil {
		return "", errors.New("runstore: make a key: " + err.Error())
	}
	var b strings.Builder
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&b)); err != nil {
		return "", errors.New("runstore: write the keys: " + err.Error())
	}
	return b.String(), nil
}

func readKeys(text string) (*keyset.Handle, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(strings.NewReader(text)))
	if err != nil {
		return nil, errKeys
	}
	return handle, nil
}

// ParseKeys reads a key set as GenerateKeys writes it. The error quotes nothing
// of it.
func ParseKeys(text string) (*Keys, error) {
	handle, err := readKeys(text)
	if err != nil {
		return nil, err
	}
	return keysOf(handle)
}

// KeysOf makes a key set of raw keys of KeySize bytes, for callers that keep
// plain keys. The first one is the primary.
func KeysOf(raw ...[]byte) (*Keys, error) {
	params, err := xchacha20poly1305.NewParameters(xchacha20poly1305.VariantNoPrefix)
	if err != nil {
		return nil, errors.New("runstore: make a key: " + err.Error())
	}
	m := keyset.NewManager()
	for i, k := range raw {
		if len(k) != KeySize {
			return nil, errors.New("runstore: read the keys: want keys of 32 bytes")
		}
		key, err := xchacha20poly1305.NewKey(secretdata.NewBytesFromData(k, insecuresecretdataaccess.Token{}), 0, params)
		if err != nil {
			return nil, errKeys
		}
		id, err := m.AddKey(key)
		if err == nil && i == 0 {
			err = m.SetPrimary(id)
		}
		if err != nil {
			return nil, errKeys
		}
	}
	handle, err := m.Handle()
	if err != nil {
		return nil, errKeys // none at all
	}
	return keysOf(handle)
}

func keysOf(handle *keyset.Handle) (*Keys, error) {
	a, err := aead.New(handle)
	if err != nil {
		return nil, errKeys
	}
	return &Keys{aead: a}, nil
}
