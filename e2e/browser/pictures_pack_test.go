//go:build pictures

package browser_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// palette is how many colours a picture has. Pages have few; what is left are the edges of
// letters, and with two dots for each pixel nobody sees their shades.
const palette = 48

// pack makes a picture of a page small, with the colours that say most about it.
func pack(picture image.Image) ([]byte, error) {
	bounds := picture.Bounds()
	paletted := image.NewPaletted(bounds, fewColours(picture, palette))
	known := map[color.Color]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := picture.At(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(paletted.Palette.Index(c))
				known[c] = i
			}
			paletted.SetColorIndex(x, y, i)
		}
	}
	var packed bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&packed, paletted)
	return packed.Bytes(), err
}

// fewColours are the most frequent ones, of those that look alike only one.
func fewColours(picture image.Image, most int) color.Palette {
	type family struct {
		all    int
		counts map[color.Color]int
	}
	families := map[[3]uint32]*family{}
	bounds := picture.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := picture.At(x, y)
			r, g, b, _ := c.RGBA()
			alike := [3]uint32{r >> 12, g >> 12, b >> 12}
			if families[alike] == nil {
				families[alike] = &family{counts: map[color.Color]int{}}
			}
			families[alike].all++
			families[alike].counts[c]++
		}
	}
	var colours color.Palette
	exact := map[color.Color]int{}
	for _, f := range families {
		maps.Copy(exact, f.counts)
	}
	frequent := slices.SortedFunc(maps.Keys(exact), func(a, b color.Color) int { return cmp.Compare(exact[b], exact[a]) })
	colours = append(colours, frequent[:min(most/2, len(frequent))]...) // areas, exactly
	byFamily := slices.SortedFunc(maps.Values(families), func(a, b *family) int { return cmp.Compare(b.all, a.all) })
	for _, f := range byFamily {
		best := slices.MaxFunc(slices.Collect(maps.Keys(f.counts)), func(a, b color.Color) int { return cmp.Compare(f.counts[a], f.counts[b]) })
		if len(colours) < most && !slices.Contains(colours, best) {
			colours = append(colours, best)
		}
	}
	return colours
}
