package service

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // for image.DecodeConfig
	_ "image/jpeg" // for image.DecodeConfig
	_ "image/png"  // for image.DecodeConfig
)

// maxPixels is the longest side of an image. Agents' programs and browsers take no more; a
// small file can claim to be much larger.
const maxPixels = 8000

// imageOf returns the type of an image by its content, "" for any other file. why says why
// the image cannot be taken.
func imageOf(data []byte) (kind, why string) {
	config, name, err := image.DecodeConfig(bytes.NewReader(data))
	if w, h, ok := webpSize(data); ok {
		config.Width, config.Height, name, err = w, h, "webp", nil
	}
	switch {
	case err != nil && looksLikeImage(data):
		return "", "the image is damaged"
	case err != nil:
		return "", ""
	case config.Width > maxPixels || config.Height > maxPixels || config.Width < 1 || config.Height < 1:
		return "", fmt.Sprintf("the image has %d × %d pixels, and at most %d are possible on each side", config.Width, config.Height, maxPixels)
	}
	return "image/" + name, ""
}

// looksLikeImage reports whether data begins as one of the images does.
func looksLikeImage(data []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
}

// webpSize reads the size of a WebP image. Its header has one of three forms.
func webpSize(data []byte) (width, height int, ok bool) {
	if len(data) < 30 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, 0, false
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	switch body := data[20:]; string(data[12:16]) {
	case "VP8 ": // after the frame's tag and its start code
		return word(26) & 0x3fff, word(28) & 0x3fff, bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a})
	case "VP8L":
		bits := int(binary.LittleEndian.Uint32(body[1:]))
		return bits&0x3fff + 1, bits>>14&0x3fff + 1, body[0] == 0x2f
	case "VP8X":
		return word(24) | int(data[26])<<16 + 1, word(27) | int(data[29])<<16 + 1, true
	default:
		return 0, 0, false
	}
}
