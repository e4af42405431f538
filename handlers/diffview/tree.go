package diffview

import (
	"strings"

	"questboard/views"
)

// treeDepth is how deep the tree of files nests; what is deeper stays in the
// names.
const treeDepth = 12

// treeOf sorts files into their folders, in the patch's order (which is that
// of the names). A folder with one thing in it is written as one with it.
func treeOf(files []views.DiffFile) []views.DiffNode {
	var root views.DiffNode
	for _, f := range files {
		at := &root
		parts := strings.SplitN(f.Path, "/", treeDepth)
		for _, folder := range parts[:len(parts)-1] {
			last := len(at.Nodes) - 1
			if last < 0 || at.Nodes[last].URL != "" || at.Nodes[last].Name != folder {
				at.Nodes = append(at.Nodes, views.DiffNode{Name: folder})
				last++
			}
			at = &at.Nodes[last]
		}
		at.Nodes = append(at.Nodes, views.DiffNode{Name: parts[len(parts)-1], URL: "#file-" + f.Key,
			Added: f.Added, Removed: f.Removed, Undeclared: f.Undeclared})
	}
	for i := range root.Nodes {
		root.Nodes[i] = joined(root.Nodes[i])
	}
	return root.Nodes
}

func joined(n views.DiffNode) views.DiffNode {
	for i := range n.Nodes {
		n.Nodes[i] = joined(n.Nodes[i])
	}
	if n.URL == "" && len(n.Nodes) == 1 {
		only := n.Nodes[0]
		only.Name = n.Name + "/" + only.Name
		return only
	}
	return n
}
