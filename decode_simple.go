package sofab

// isSimple reports whether a message of the table has nothing but what the function simple
// decodes, and a reset is one copy.
func (t *table) isSimple() bool {
	if !t.imaged || t.lists != nil || t.arms != nil || t.whole != nil || !t.leavable {
		return false
	}
	for i := range t.fast {
		r := &t.fast[i]
		switch r.op {
		case opBool, opUint8, opUint16, opUint32, opUint64, opInt8, opInt16, opInt32, opInt64,
			opFloat32, opFloat64, opString, opBytes, opNative, opEnter, opLeave, opEnd:
		default:
			return false
		}
		if r.mask == 0 {
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
	var frames [1]frame
	frames[0].table, frames[0].dst = t, p
	m := slab{table: t, own: c.settings.ownMemory, hand: len(data)}
	m.expect()
	var d fastState // filled where it is: a copy of what was just stored waits for the stores
	d.slab, d.options, d.frames, d.deepest = &m, &c.settings, frames[:], 1
	d.setBudget(0)
	d.limitTexts()
	fr, r, pos, why := &frames[0], &t.fast[0], 0, atEnd
	if limit := len(data) - unitRoom; limit > 0 {
		fr, r, pos, _, why = d.simple(nil, fr, r, bytesData(data), 0, limit, len(data))
	}
	if why == atEnd {
		_, r, pos, _, _ = d.lastSimple(nil, fr, r, data, pos)
	}
	if pos == len(data) && r.scope.outer == nil {
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
	d.clear(&c.settings)
	d.alias, d.memory, d.charged = false, *m, from.charged
	d.frames, d.deepest = append(d.frames[:0], from.frames...), 1
	fr, r := d.openScopes(d.innermost(), r)
	fr.next = int(r.index)
	d.p.Advance(pos, len(d.frames)-1)
	err := d.drive()
	d.release()
	return err
}
