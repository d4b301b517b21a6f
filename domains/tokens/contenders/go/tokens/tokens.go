// Package tokens makes the items of a stream, and sends them when they are due.
package tokens

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyz      ,.\"\né…"
	most    = 100_000
)

var alphabet = []rune(letters)

// Item is a short text.
type Item struct {
	Text string `json:"text"`
}

// Prompt is what a client asks: the texts of a seed, so many of them, so many a second; at rate 0 as
// fast as they are taken.
type Prompt struct {
	Seed  int32 `json:"seed"`
	Count int32 `json:"count"`
	Rate  int32 `json:"rate"`
}

// Check says what is invalid.
func (asked Prompt) Check() error {
	if asked.Count < 1 || asked.Count > most {
		return fmt.Errorf("count must be from 1 to %d, not %d", most, asked.Count)
	}
	if asked.Rate < 0 || asked.Rate > most {
		return fmt.Errorf("rate must be from 0 to %d, not %d", most, asked.Rate)
	}
	return nil
}

// Send sends each item when it is due, counted from the first, so that no delay adds up.
func (asked Prompt) Send(ctx context.Context, send func(Item) error) error {
	begun := time.Now()
	for index := range asked.Count {
		if asked.Rate > 0 {
			due := begun.Add(time.Duration(index) * time.Second / time.Duration(asked.Rate))
			if err := until(ctx, due); err != nil {
				return err
			}
		}
		if err := send(Item{text(asked.Seed, index)}); err != nil {
			return err
		}
	}
	return nil
}

func until(ctx context.Context, due time.Time) error {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// text has 20 to 60 bytes. README.md of the domain defines it.
func text(seed, index int32) string {
	state := uint32(seed)*2654435761 + uint32(index+1)*2246822519
	if state == 0 {
		state = 1
	}
	next := func() uint32 { // xorshift32
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		return state
	}
	length := int(20 + next()%39)
	made := make([]byte, 0, 64)
	for len(made) < length {
		made = utf8.AppendRune(made, alphabet[next()%uint32(len(alphabet))])
	}
	return string(made)
}
