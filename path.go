package sofab

import "strconv"

// path is the path of the value at hand.
func (d *decodeState) path() string { return d.pathOf(d.frames, d.step != atHeader) }

// pathOf is the path of the scope that the last of the frames stands for, or of the
// value at hand in it. Of a long one only those parts are put together that shortPath
// keeps, so that it costs little at any depth.
func (d *decodeState) pathOf(frames []frame, inside bool) string {
	if len(frames) == 0 {
		return ""
	}
	var room [2 * maxPath]byte
	path := append(room[:0], rootName(frames[0].table.typ)...)
	end := len(frames)
	if !inside {
		end--
	}
	i := 0
	for ; i < end && len(path) <= maxPath; i++ {
		path = frames[i].appendStep(path)
	}
	tail := end
	for size := 0; tail > i && size < maxPath/2; {
		tail--
		size += frames[tail].stepSize()
	}
	for ; tail < end; tail++ {
		path = frames[tail].appendStep(path)
	}
	return shortPath(string(path))
}

// appendStep appends what the field or element at hand adds to a path.
func (fr *frame) appendStep(path []byte) []byte {
	switch {
	case fr.table == nil:
		path = strconv.AppendInt(append(path, '['), int64(fr.index), 10)
		path = append(path, ']')
	case fr.row != nil && fr.row.name != "":
		if len(path) > 0 {
			path = append(path, '.')
		}
		path = append(path, fr.row.name...)
	}
	return path
}

// stepSize is how many bytes appendStep appends at least.
func (fr *frame) stepSize() int {
	switch {
	case fr.table == nil:
		return len("[0]")
	case fr.row != nil:
		return len(fr.row.name)
	}
	return 0
}
