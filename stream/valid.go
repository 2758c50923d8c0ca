package stream

// Valid reports whether data is one well-formed message: every field complete, every
// sequence closed. No schema is known, so that strings are not checked for UTF-8 and
// no bound or cap holds. It allocates nothing.
func Valid(data []byte) bool {
	var p Parser
	p.ResetBytes(data)
	for p.skipFields(-1); p.Head() == Done; p.skipFields(-1) {
		if p.Skip() != Done {
			return false
		}
	}
	return p.Complete()
}
