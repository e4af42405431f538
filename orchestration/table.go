package orchestration

import (
	"fmt"
	"iter"
)

// chunk is the number of entries that one With copies, besides one pointer per chunk.
// 64 pointers fill eight cache lines; the runs of a quest of 10,000 steps are 625
// chunks.
const chunk = 64

// Table is a persistent list. With and Append return a new list that shares all but one
// chunk with the old one, which stays as it was. So Apply stays pure and costs the same
// for 10 and for 10,000 steps. Entries must not change once they are in a table.
type Table[T any] struct {
	chunks []*[chunk]*T
	n      int
}

// TableOf returns a table of the given entries.
func TableOf[T any](items ...*T) Table[T] {
	var t Table[T]
	for _, it := range items {
		t = t.Append(it)
	}
	return t
}

// Len returns the number of entries.
func (t Table[T]) Len() int { return t.n }

// At returns entry i. It panics if there is none.
func (t Table[T]) At(i int) *T {
	if i >= t.n {
		panic(fmt.Sprintf("entry %d of %d", i, t.n))
	}
	return t.chunks[i/chunk][i%chunk]
}

// All yields the entries in order.
func (t Table[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range t.n {
			if !yield(i, t.At(i)) {
				return
			}
		}
	}
}

// With returns the table with entry i replaced.
func (t Table[T]) With(i int, v *T) Table[T] {
	if i >= t.n {
		panic(fmt.Sprintf("entry %d of %d", i, t.n))
	}
	chunks := append([]*[chunk]*T(nil), t.chunks...)
	c := *chunks[i/chunk]
	c[i%chunk] = v
	chunks[i/chunk] = &c
	return Table[T]{chunks: chunks, n: t.n}
}

// Append returns the table with one more entry.
func (t Table[T]) Append(v *T) Table[T] {
	chunks := append([]*[chunk]*T(nil), t.chunks...)
	var c [chunk]*T
	if t.n%chunk > 0 {
		last := len(chunks) - 1
		c, chunks = *chunks[last], chunks[:last]
	}
	c[t.n%chunk] = v
	return Table[T]{chunks: append(chunks, &c), n: t.n + 1}
}
