package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/replaycheck/internal/result"
)

// onlySpecs: the decision commit changes only what decides.
func (c *check) onlySpecs(context.Context) error {
	const name, title = "only-specs", "the decision commit changes specs/ only"
	if c.parents != 1 {
		c.item(name, title, result.Fail, fmt.Sprintf("it has %d parents, want one commit on top of another", c.parents))
		return nil
	}
	var other, inside []string
	for _, d := range c.decided {
		if strings.HasPrefix(d.path, "specs/") {
			inside = append(inside, d.path)
		} else {
			other = append(other, d.path)
		}
	}
	ids := slices.Concat(c.pair.Added, c.pair.Changed, c.pair.Removed)
	switch {
	case len(other) > 0:
		c.item(name, title, result.Fail, "it also changes "+some(other))
	case len(ids) == 0:
		c.item(name, title, result.Fail, "it changes no requirement (specs/ID.md), so it decides nothing")
	default:
		c.item(name, title, result.Pass, "it changes "+some(inside))
	}
	return nil
}

// signed: the decision commit has a good signature, as the repository's own
// configuration judges it.
func (c *check) signed(ctx context.Context) error {
	const name, title = "signed", "the decision commit is signed"
	if !c.signature {
		if c.opts.RequireSignature {
			c.item(name, title, result.Fail, "not signed")
		} else {
			c.item(name, title, result.Unsupported, "not signed; --require-signature makes that a failure")
		}
		return nil
	}
	_, err := c.repo.git(ctx, "verify-commit", c.decision)
	if failed, ok := errors.AsType[*toolError](err); err != nil && !ok {
		return err
	} else if ok {
		letter, err := c.repo.git(ctx, "log", "-1", "--no-show-signature", "--format=%G?", c.decision)
		if err != nil {
			return fmt.Errorf("pair: verify signature: %w", err)
		}
		// Git calls a signature bad that it has no program for, and every key
		// unknown where the list of keys is not there.
		if strings.Contains(failed.stderr, "cannot run ") || strings.Contains(failed.stderr, "Unable to open") {
			letter = "E"
		}
		status, reason := badSignature(letter)
		c.item(name, title, status, reason+": "+failed.Error())
		return nil
	}
	who, err := c.repo.git(ctx, "log", "-1", "--no-show-signature", "--format=%GS%x00%GK", c.decision)
	if err != nil {
		return fmt.Errorf("pair: verify signature: %w", err)
	}
	signer, key, _ := strings.Cut(who, "\x00")
	c.item(name, title, result.Pass, fmt.Sprintf("good signature by %q, key %s", signer, key))
	return nil
}

// badSignature tells a signature that is bad from one that cannot be checked
// here, by Git's letter for it.
func badSignature(letter string) (result.Status, string) {
	switch letter {
	case "B":
		return result.Fail, "bad signature"
	case "X", "Y":
		return result.Fail, "signature or key has expired"
	case "R":
		return result.Fail, "key is revoked"
	case "U", "G":
		return result.Fail, "signed with a key that is not trusted here"
	}
	return result.Error, "the signature can't be checked"
}

// base: the implementation starts at the decision commit, with nothing beside
// it. Every commit that the head has more than the decision commit must have
// only the decision commit, or another one of them, as parent: so the
// first-parent line leads to the decision, and no merge brings anything older.
func (c *check) base(ctx context.Context) error {
	const name, title = "base", "the implementation starts at the decision commit"
	if c.head == c.decision {
		c.item(name, title, result.Fail, "the head is the decision commit: nothing is implemented")
		return nil
	}
	out, err := c.repo.git(ctx, "rev-list", "--parents", c.decision+".."+c.head)
	if err != nil {
		return fmt.Errorf("pair: read history: %w", err)
	}
	parents := map[string][]string{}
	var order []string // newest first
	for line := range strings.Lines(out) {
		ids := strings.Fields(line)
		parents[ids[0]] = ids[1:]
		order = append(order, ids[0])
	}
	if base, err := c.repo.git(ctx, "merge-base", c.decision, c.head); err != nil || base != c.decision {
		if ctx.Err() != nil {
			return err
		}
		if base == "" {
			c.item(name, title, result.Fail, "head and decision commit have no history in common")
		} else {
			c.item(name, title, result.Fail, "the decision commit is not in the head's history; they part at "+short(base))
		}
		return nil
	}
	for _, id := range slices.Backward(order) {
		for _, p := range parents[id] {
			if _, own := parents[p]; !own && p != c.decision {
				c.item(name, title, result.Fail, fmt.Sprintf("commit %s starts at %s, or merges it: not at the decision commit", short(id), short(p)))
				return nil
			}
		}
	}
	c.item(name, title, result.Pass, fmt.Sprintf("%s on top of %s", count(len(order), "commit"), short(c.decision)))
	return nil
}

// untouched: the implementation changes nothing that was decided, and decides
// nothing on its own.
func (c *check) untouched(ctx context.Context) error {
	const name, title = "untouched", "the decided files are the same at the head"
	since, err := c.repo.diff(ctx, c.decision, c.head)
	if err != nil {
		return fmt.Errorf("pair: compare decision and head: %w", err)
	}
	var touched, more []string
	for _, s := range since {
		switch {
		case slices.ContainsFunc(c.decided, func(d change) bool { return d.path == s.path }):
			touched = append(touched, s.path)
		case requirementOf(s.path) != "":
			more = append(more, s.path)
		}
	}
	switch {
	case len(touched) > 0:
		c.item(name, title, result.Fail, "changed since the decision: "+some(touched))
	case len(more) > 0:
		c.item(name, title, result.Fail, "the implementation decides too: it changes "+some(more))
	case len(c.decided) == 0:
		c.item(name, title, result.Skipped, "nothing is decided")
	default:
		c.item(name, title, result.Pass, count(len(c.decided), "file")+" as decided")
	}
	return nil
}

// shown is how many names a line holds.
const shown = 5

func some(names []string) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
