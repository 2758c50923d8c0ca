package stream

// Valid reports whether data is one well-formed message: every field complete, every
// sequence closed. No schema is known, so that strings are not checked for UTF-8 and
// no bound or cap holds. It allocates nothing.
func Valid(data []byte) bool {
	pos, depth := 0, 0
	if flatSkip {
		if pos, depth = skipFlat(data, 0, 0, -1); pos == len(data) {
			return depth == 0
		}
	}
	return validRest(data, pos, depth)
}

// validRest is Valid from between two fields on.
func validRest(data []byte, pos, depth int) bool {
	var p Parser
	p.ResetBytes(data)
	p.pos, p.depth = pos, depth
	for ; p.Head() == Done; p.skipFields(-1) {
		if p.Skip() != Done {
			return false
		}
	}
	return p.Complete()
}
