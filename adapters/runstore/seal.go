package runstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/replaycheck/adapters/chat"
)

// header is the first line of a sealed state; the rest of it is the stored
// transcript, byte for byte. The transcript is no member of it because it may
// hold bytes that a JSON string can't.
type header struct {
	RunID    string        `json:"run_id"`
	Actor    string        `json:"actor"`
	Steps    int           `json:"steps"`
	Tokens   int           `json:"tokens"`
	Approved bool          `json:"approved"`
	Pending  []pendingCall `json:"pending"`
}

type pendingCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Seal returns what the store keeps of a run in its column "sealed": the
// transcript, run ID, actor, steps, tokens and pending calls, encrypted and
// bound to run ID and actor. Status, fence and begun calls are not part of it.
func (k *Keys) Seal(run chat.Run) ([]byte, error) {
	h := header{RunID: run.ID, Actor: run.Actor, Steps: run.Steps, Tokens: run.Tokens, Approved: run.Approved, Pending: []pendingCall{}}
	for _, call := range run.Pending {
		h.Pending = append(h.Pending, pendingCall(call))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil { // ends the line
		return nil, fmt.Errorf("runstore: seal: %w", err)
	}
	b.WriteString(run.Transcript)
	return k.encrypt(b.Bytes(), bind("state", run.ID, run.Actor))
}

// Open is the inverse of Seal. The error is chat.ErrRunSealed: the text is
// damaged, of another run or actor, or sealed with a key that is not in the
// set.
func (k *Keys) Open(sealed []byte, runID, actor string) (chat.Run, error) {
	plain, err := k.decrypt(sealed, bind("state", runID, actor))
	if err != nil {
		return chat.Run{}, err
	}
	line, transcript, _ := bytes.Cut(plain, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return chat.Run{}, chat.ErrRunSealed
	}
	run := chat.Run{ID: h.RunID, Actor: h.Actor, Steps: h.Steps, Tokens: h.Tokens, Approved: h.Approved, Transcript: string(transcript)}
	for _, call := range h.Pending {
		run.Pending = append(run.Pending, chat.ToolCall(call))
	}
	return run, nil
}

// sealOwner returns the actor of a run, bound to it. It outlives the state, so
// that a finished run still knows whose it was.
func (k *Keys) sealOwner(runID, actor string) ([]byte, error) {
	return k.encrypt([]byte(actor), bind("owner", runID, ""))
}

// owner opens what sealOwner made and compares it with the actor who asks.
func (k *Keys) owner(sealed []byte, runID, asking string) (string, error) {
	plain, err := k.decrypt(sealed, bind("owner", runID, ""))
	if err != nil {
		return "", err
	}
	actor := string(plain)
	if actor != asking {
		return "", chat.ErrRunActor
	}
	return actor, nil
}

func (k *Keys) sealResult(run chat.Run, position int, result string) ([]byte, error) {
	return k.encrypt([]byte(result), bindCall(run, position))
}

func (k *Keys) openResult(sealed []byte, run chat.Run, position int) (string, error) {
	plain, err := k.decrypt(sealed, bindCall(run, position))
	return string(plain), err
}

func bindCall(run chat.Run, position int) []byte {
	return bind("result "+strconv.Itoa(run.Steps)+" "+strconv.Itoa(position), run.ID, run.Actor)
}

// bind returns the associated data that ties a sealed text to what it is and to
// its run and actor. The lengths keep the three apart.
func bind(what, runID, actor string) []byte {
	return fmt.Appendf(nil, "nrllm/run/v1 %d:%s %d:%s %d:%s", len(what), what, len(runID), runID, len(actor), actor)
}

func (k *Keys) encrypt(plain, bound []byte) ([]byte, error) {
	sealed, err := k.aead.Encrypt(plain, bound)
	if err != nil {
		return nil, fmt.Errorf("runstore: seal: %w", err)
	}
	return sealed, nil
}

func (k *Keys) decrypt(sealed, bound []byte) ([]byte, error) {
	plain, err := k.aead.Decrypt(sealed, bound)
	if err != nil {
		return nil, chat.ErrRunSealed
	}
	return plain, nil
}
