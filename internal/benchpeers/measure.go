package benchpeers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Plan is what is measured of the servers.
type Plan struct {
	Servers  []Server
	Shapes   []string
	Sizes    []int // bytes of a body
	Conns    int
	Rounds   int
	Duration time.Duration // of each cell
	Warm     time.Duration // of load before it
	Starts   int           // of each server, for the first answer
	Kept     int           // requests of 256 KiB, for what is kept of them
	Settle   time.Duration // how long memory must be the same to be believed
	Progress io.Writer     // a line for each step
}

// Cell is one server under one load in one round.
type Cell struct {
	Round         int
	Shape         string
	Size          int
	Server        string
	Rate          float64       // requests a second
	CPU           time.Duration // of the server for a request; 0: the system does not tell
	Errors, Total int
	First         error
}

// Throughput loads each server in turn, in a process of its own for each cell.
// Rounds are the outermost loop, servers the innermost, so that what is compared
// was measured close in time.
func (p Plan) Throughput(ctx context.Context) ([]Cell, error) {
	var out []Cell
	for round := range p.Rounds {
		for _, shape := range p.Shapes {
			for _, size := range p.Sizes {
				for _, s := range p.Servers {
					c, err := p.cell(ctx, s, shape, size)
					if err != nil {
						return out, err
					}
					c.Round = round + 1
					fmt.Fprintf(p.Progress, "round %d of %d  %s, %s, %s: %.0f requests/s, %d errors\n", c.Round, p.Rounds, shape, sizeText(size), s.Name, c.Rate, c.Errors)
					out = append(out, c)
				}
			}
		}
	}
	return out, nil
}

func (p Plan) cell(ctx context.Context, s Server, shape string, size int) (Cell, error) {
	out := Cell{Shape: shape, Size: size, Server: s.Name}
	body, err := Body(shape, size)
	if err != nil {
		return out, err
	}
	proc, err := s.start(ctx, false)
	if err != nil {
		return out, err
	}
	defer proc.stop()
	load := Load{Address: proc.address, Path: s.Paths[apiOf(shape)], Body: body, Conns: p.Conns, Duration: p.Warm}
	if p.Warm > 0 {
		if _, err := load.Run(ctx); err != nil {
			return out, err
		}
	}
	load.Duration, load.From = p.Duration, 1e9
	before, _ := proc.usage()
	got, err := load.Run(ctx)
	if err != nil {
		return out, err
	}
	if after, err := proc.usage(); err == nil && got.Requests > 0 {
		out.CPU = (after.cpu - before.cpu) / time.Duration(got.Requests)
	}
	out.Rate, out.Errors, out.Total, out.First = got.Rate(), got.Errors, got.Requests+got.Errors, cmp.Or(proc.died(), got.First)
	return out, ctx.Err()
}

// First is how a process came to its first answer with 200.
type First struct {
	Took time.Duration // since it was started
	CPU  time.Duration // what the process used for it
}

// FirstAnswers starts each server in turn.
func (p Plan) FirstAnswers(ctx context.Context) (map[string][]First, error) {
	out := map[string][]First{}
	body, err := Body(p.Shapes[0], 2<<10)
	if err != nil {
		return nil, err
	}
	for range p.Starts {
		for _, s := range p.Servers {
			proc, err := s.start(ctx, false)
			if err != nil {
				return nil, err
			}
			load := Load{Address: proc.address, Path: s.Paths[apiOf(p.Shapes[0])], Body: body, Conns: 1, Count: 1}
			err = until(ctx, time.Millisecond, 20*time.Second, func() (bool, error) {
				got, err := load.Run(ctx)
				return got.Requests == 1, err
			})
			first := First{Took: time.Since(proc.begun)}
			first.CPU = proc.stop()
			if err != nil {
				return nil, fmt.Errorf("benchpeers: %s gives no answer: %w", s.Name, err)
			}
			out[s.Name] = append(out[s.Name], first)
		}
	}
	return out, nil
}

// keptSize is that of the bodies whose memory is measured: with so many of them
// as serve keeps conversations, they are most of what there is.
const keptSize = 256 << 10

// KeptPerByte is by how many bytes the resident memory of each server grows for
// one byte of a body, while it keeps all of them. Go's collector is told to let
// little garbage stand, so that it is what is kept that counts.
func (p Plan) KeptPerByte(ctx context.Context) (map[string]float64, error) {
	out := map[string]float64{}
	for _, s := range p.Servers {
		grown, err := p.growth(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		out[s.Name] = grown
	}
	return out, nil
}

func (p Plan) growth(ctx context.Context, s Server) (float64, error) {
	body, err := Body(Gemini, keptSize) // each another one: the same again is kept once
	if err != nil {
		return 0, err
	}
	proc, err := s.start(ctx, true)
	if err != nil {
		return 0, err
	}
	defer proc.stop()
	var resident []int64
	for i, n := range []int{p.Kept / 3, p.Kept - p.Kept/3} {
		got, err := Load{Address: proc.address, Path: s.Paths[Gemini], Body: body, Conns: 4, Count: n, From: int64(i) * 1e9}.Run(ctx)
		if err != nil || got.Errors > 0 {
			return 0, fmt.Errorf("benchpeers: %d of %d requests failed: %w", got.Errors, n, err)
		}
		rss, err := proc.settled(ctx, p.Settle)
		if err != nil {
			return 0, err
		}
		resident = append(resident, rss)
	}
	return float64(resident[1]-resident[0]) / float64((p.Kept-p.Kept/3)*keptSize), nil
}

// settled is the resident memory once it stays as it is for so long.
func (p *process) settled(ctx context.Context, long time.Duration) (int64, error) {
	var seen []int64
	err := until(ctx, max(long/10, time.Millisecond), 20*time.Second, func() (bool, error) {
		u, err := p.usage()
		if err != nil {
			return false, err
		}
		seen = append(seen, u.rss)
		last := seen[max(0, len(seen)-11):]
		return len(last) == 11 && slices.Max(last)-slices.Min(last) < 1<<20, nil
	})
	if len(seen) == 0 {
		return 0, err
	}
	return seen[len(seen)-1], err
}
