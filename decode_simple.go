package sofab

// simpleFrames is how many structs in structs a message may have that is decoded with a
// fastState on the stack.
const simpleFrames = 3

// isSimple reports whether a message of the table has nothing but what the function simple
// decodes, in at most so many structs in structs, and a reset is one copy.
func (t *table) isSimple(levels int) bool {
	if levels == 0 || !t.imaged || t.lists != nil || t.arms != nil || t.whole != nil || !t.leavable {
		return false
	}
	for i := range t.rows {
		r := &t.rows[i]
		switch r.form.op {
		case opBool, opUint8, opUint16, opUint32, opUint64, opInt8, opInt16, opInt32, opInt64,
			opFloat32, opFloat64, opString, opBytes, opNative:
		case opStruct:
			if !r.form.target.table.isSimple(levels - 1) {
				return false
			}
		default:
			return false
		}
		if r.via != nil || r.form.kind == kindPointer {
			return false
		}
	}
	return true
}

// unmarshalSimple is Unmarshal for a simple message, into the struct at p:
// it spares the pooled state, and all that others need to be told and to let go of. Where
// something is out of the ordinary, a decodeState goes on from there.
func (c *Codec) unmarshalSimple(data []byte, t *table, p pointer) error {
	t.mem.reset(p)
	if len(data) == 0 {
		return nil
	}
	var frames [simpleFrames]frame
	frames[0].table, frames[0].dst = t, p
	m := slab{table: t, own: c.settings.ownMemory, hand: len(data)}
	m.expect()
	d := fastState{slab: &m, options: &c.settings, frames: frames[:1], deepest: 1}
	d.setBudget(0)
	d.limitTexts()
	fr, r, pos, why := &frames[0], &t.fast[0], 0, atEnd
	if limit := len(data) - unitRoom; limit > 0 {
		fr, r, pos, _, why = d.simple(nil, fr, r, bytesData(data), 0, limit, len(data))
	}
	if why == atEnd {
		_, r, pos, _, _ = d.lastSimple(nil, fr, r, data, pos)
	}
	if pos == len(data) && len(d.frames) == 1 {
		m.learn()
		return nil
	}
	d.chargeTexts()
	return c.resume(&d, &m, r, data, pos)
}

// resume goes on decoding a message of which a fastState has decoded all up to data[pos:],
// where row r is expected in the innermost scope.
func (c *Codec) resume(from *fastState, m *slab, r *fastRow, data []byte, pos int) error {
	d := decodeStates.Get().(*decodeState)
	d.p.ResetBytes(data)
	d.p.Advance(pos, len(from.frames)-1)
	d.clear(&c.settings)
	d.alias, d.memory, d.charged = false, *m, from.charged
	d.frames = append(d.frames[:0], from.frames...)
	d.deepest = max(d.deepest, from.deepest)
	d.frames[len(d.frames)-1].next = int(r.index)
	err := d.drive()
	d.release()
	return err
}
