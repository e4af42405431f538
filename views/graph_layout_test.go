package views_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"questboard/views"
)

// plan is a random graph without cycles, like a plan: most steps depend on one to three
// of the steps shortly before them, and some on one far back.
func plan(nodes int, seed uint64) [][2]int {
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[[2]int]bool{}
	var edges [][2]int
	for n := 1; n < nodes; n++ {
		for range r.IntN(4) {
			from := max(0, n-1-r.IntN(30))
			if r.IntN(20) == 0 {
				from = max(0, n-1-r.IntN(100))
			}
			if e := [2]int{from, n}; !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		}
	}
	return edges
}

func TestNoTwoNodesOfADrawingOverlap(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{1, 2, 12, 60, 300} {
		for seed := range uint64(10) {
			d := views.Draw(nodes, plan(nodes, seed))
			for i, a := range d.Spots {
				for j, b := range d.Spots[:i] {
					if a.X == b.X && max(a.Y-b.Y, b.Y-a.Y) < views.NodeHeight+8 {
						t.Fatalf("%d nodes, seed %d: %d at %v and %d at %v overlap", nodes, seed, i, a, j, b)
					}
				}
				if a.X < 0 || a.Y < 0 || a.X+views.NodeWidth > d.Width || a.Y+views.NodeHeight > d.Height {
					t.Fatalf("%d nodes, seed %d: %d at %v is outside of %d x %d", nodes, seed, i, a, d.Width, d.Height)
				}
			}
		}
	}
}

func TestEveryEdgeGoesFromLeftToRight(t *testing.T) {
	t.Parallel()
	edges := plan(200, 3)
	d := views.Draw(200, edges)
	for i, e := range edges {
		from, to := d.Spots[e[0]], d.Spots[e[1]]
		if from.X+views.NodeWidth >= to.X {
			t.Errorf("%v leads from %v to %v", e, from, to)
		}
		begin := fmt.Sprintf("M%d %d", from.X+views.NodeWidth, from.Y+views.NodeHeight/2)
		bent, straight := fmt.Sprintf(" %d %d", to.X, to.Y+views.NodeHeight/2), fmt.Sprintf("H%d", to.X)
		if path := d.Paths[i]; !strings.HasPrefix(path, begin) || !strings.HasSuffix(path, bent) && !strings.HasSuffix(path, straight) {
			t.Errorf("%v is drawn as %s, from %v to %v", e, path, from, to)
		}
	}
}

// An edge that passes a column runs beside its nodes: no node is in the way of a straight
// part.
func TestNoEdgeRunsBehindANode(t *testing.T) {
	t.Parallel()
	edges := plan(80, 5)
	d := views.Draw(80, edges)
	step := regexp.MustCompile(`([MCH])([-0-9 ]+)`)
	straight := 0
	for i, path := range d.Paths {
		x, y := 0, 0
		for _, part := range step.FindAllStringSubmatch(path, -1) {
			numbers := strings.Fields(part[2])
			to, _ := strconv.Atoi(numbers[max(0, len(numbers)-2)])
			if part[1] != "H" {
				x = to
				y, _ = strconv.Atoi(numbers[len(numbers)-1])
				continue
			}
			straight++
			for n, s := range d.Spots {
				if s.X < to && s.X+views.NodeWidth > x && y > s.Y-4 && y < s.Y+views.NodeHeight+4 {
					t.Errorf("edge %v runs behind node %d", edges[i], n)
				}
			}
			x = to
		}
	}
	if straight < 20 {
		t.Errorf("only %d straight pieces: nothing is shown", straight)
	}
}

func TestSortingTheColumnsLetsFewerEdgesCross(t *testing.T) {
	t.Parallel()
	// Two columns in reverse order. When they are sorted, nothing crosses.
	if n := views.Draw(6, [][2]int{{0, 5}, {1, 4}, {2, 3}}).Crossings; n != 0 {
		t.Errorf("%d crossings where none is needed", n)
	}
	if n := views.Draw(4, [][2]int{{0, 2}, {0, 3}, {1, 2}, {1, 3}}).Crossings; n != 1 {
		t.Errorf("%d crossings, and two pairs that are all tied have one", n)
	}
	for seed := range uint64(20) {
		edges := plan(100, seed)
		if sorted, naive := views.Draw(100, edges).Crossings, views.NaiveCrossings(100, edges); sorted > naive || sorted == 0 {
			t.Errorf("seed %d: %d crossings, %d in the plan's own order", seed, sorted, naive)
		}
	}
}

func TestTheSamePlanGivesTheSameDrawing(t *testing.T) {
	t.Parallel()
	first := views.Draw(150, plan(150, 7))
	for range 5 {
		if !reflect.DeepEqual(first, views.Draw(150, plan(150, 7))) {
			t.Fatal("it differs")
		}
	}
}

// An imported plan may have a cycle.
func TestACycleIsDrawnWithoutTheEdgesThatLeadBack(t *testing.T) {
	t.Parallel()
	d := views.Draw(3, [][2]int{{0, 1}, {1, 2}, {2, 1}, {2, 2}})
	if d.Paths[0] == "" || len(d.Spots) != 3 || d.Paths[3] != "" {
		t.Errorf("%+v", d)
	}
	if d := views.Draw(0, nil); d.Width != 0 {
		t.Errorf("nothing is %d wide", d.Width)
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, nodes := range []int{200, 1000} {
		edges := plan(nodes, 1)
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			for b.Loop() {
				views.Draw(nodes, edges)
			}
		})
	}
}
