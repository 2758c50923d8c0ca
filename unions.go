package sofab

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/sofab-go/sofab/tags"
	"github.com/sofab-go/sofab/wire"
)

// A UnionArm is one implementation of an interface, with its id; see [Arm].
type UnionArm struct {
	id  wire.ID
	typ reflect.Type
}

// Arm says that values of type T are those of a registered interface with this id. The
// type is exactly that of the value in the interface: where the methods have pointer
// receivers it is a pointer, Arm[*Circle]. A type can have one arm for its values and
// another for its pointers.
func Arm[T any](id wire.ID) UnionArm { return UnionArm{id, reflect.TypeFor[T]()} }

// RegisterUnion makes fields of the interface type I a union of the given arms: on the
// wire they are what a struct of pointers to the arms is that is tagged union, the id
// of an arm that of its field.
//
// A nil interface is absent. The value in the interface is always written, also at its
// default. On decode the last arm that arrives wins, and the interface gets a value of
// exactly the type that was registered. A value of a type that is not registered, and
// a nil pointer in the interface, are an error on encode.
//
// RegisterUnion is meant for init functions, and like [encoding/gob.Register] it
// panics on a programming mistake: an I that is no interface or is any, no arms, an id
// or a type that occurs twice, a type that does not implement I, and a second call for
// one I or a call after a codec of a type that reaches I was first needed, because the
// codec is kept.
func RegisterUnion[I any](arms ...UnionArm) {
	t := reflect.TypeFor[I]()
	if why := checkArms(t, arms); why != "" {
		panic("sofab: RegisterUnion[" + t.String() + "]: " + why)
	}
	arms = slices.SortedFunc(slices.Values(arms), func(a, b UnionArm) int { return cmp.Compare(a.id, b.id) })
	if why := registeredUnions.add(t, arms); why != "" {
		panic("sofab: RegisterUnion[" + t.String() + "]: " + why)
	}
}

// checkArms is what is wrong with the arms of an interface type, "" if nothing is.
func checkArms(t reflect.Type, arms []UnionArm) string {
	switch {
	case t.Kind() != reflect.Interface:
		return "it is no interface type"
	case t == reflect.TypeFor[any]():
		return "any is a dynamic value and takes no arms; use an interface type of your own"
	case len(arms) == 0:
		return "there are no arms; add sofab.Arm[T](id) for each implementation"
	}
	ids, types := map[wire.ID]reflect.Type{}, map[reflect.Type]bool{}
	for _, a := range arms {
		other, taken := ids[a.id]
		switch {
		case a.typ == nil || a.typ.Kind() == reflect.Interface:
			return fmt.Sprintf("arm %d: type %v is an interface; register its implementations", a.id, a.typ)
		case a.id > wire.MaxID:
			return fmt.Sprintf("arm %v: id %d is above %d", a.typ, a.id, wire.MaxID)
		case taken:
			return fmt.Sprintf("id %d is that of %v and of %v", a.id, other, a.typ)
		case types[a.typ]:
			return fmt.Sprintf("type %v has two arms", a.typ)
		case !a.typ.Implements(t) && reflect.PointerTo(a.typ).Implements(t):
			return fmt.Sprintf("type %v does not implement it, but its pointer does; use sofab.Arm[*%v](%d)", a.typ, a.typ, a.id)
		case !a.typ.Implements(t):
			return fmt.Sprintf("type %v does not implement it", a.typ)
		}
		ids[a.id], types[a.typ] = a.typ, true
	}
	return ""
}

// unionRegistry holds the arms of the registered interfaces.
type unionRegistry struct {
	mu   sync.Mutex
	arms map[reflect.Type][]UnionArm
	used map[reflect.Type]bool // interfaces that a compiler has asked for
}

var registeredUnions = unionRegistry{arms: map[reflect.Type][]UnionArm{}, used: map[reflect.Type]bool{}}

// add registers an interface; it returns what is in the way.
func (u *unionRegistry) add(t reflect.Type, arms []UnionArm) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.arms[t] != nil:
		return "it is registered already; register all arms in one call"
	case u.used[t]:
		return "a codec was already compiled without it; register in an init function, before the first Marshal or Unmarshal"
	}
	u.arms[t] = arms
	return ""
}

// use is the arms of an interface, nil if it is not registered. From now on it cannot
// be.
func (u *unionRegistry) use(t reflect.Type) []UnionArm {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.used[t] = true
	return u.arms[t]
}

// arms is what the table of a union has beside its rows, which are its arms: at most
// one of them is set. They are pointers, and the one that is not nil is set; or values,
// and a number says which one is.
type arms struct {
	numbered bool    // the arms are values
	number   uintptr // offset of the uint8 that is 1 + the index of the row that is set, 0 for none
	empty    *row    // the arm that is set in a value that is empty, or nil

	// For a registered interface:
	registered []registeredArm      // by row
	byType     map[reflect.Type]int // index of the row for a dynamic type
}

// A registeredArm is a type that a registered interface may hold.
type registeredArm struct {
	typ     reflect.Type
	pointer bool // the type is a pointer
	inline  bool // an interface holds it in its data word
	copied  bool // encoding may change it, so that it gets a copy
}

// A unionUse is a union whose table is made when that of the struct is complete.
type unionUse struct {
	table   *table // of the union
	structs *table // of the struct type without the option
	o       *tags.Options
	site    site
}

// union fills the form of a struct tagged union. Its table is one of its own, because
// the struct type may also be used without the option.
func (c *compiler) union(f *form, t reflect.Type, o *tags.Options, s site) bool {
	f.table = &table{typ: t, arms: new(arms)}
	c.unions = append(c.unions, unionUse{f.table, c.table(t), o, s})
	c.own = append(c.own, f.table)
	return true
}

// linkUnions completes the tables of the unions and reports their faults.
func (c *compiler) linkUnions() {
	for _, u := range c.unions {
		t := u.table
		if u.structs != nil {
			t.rows, t.plain, t.maxsize = slices.Clone(u.structs.rows), u.structs.plain, u.structs.maxsize
			if row := u.structs.unknown; row != nil {
				c.fault(u.site, u.o.Pos("union"), "field %s of union %v holds unknown fields; a union is one arm at most", row.name, t.typ)
			}
			for i := range t.rows {
				if why := t.rows[i].notArm(); why != "" {
					c.fault(u.site, u.o.Pos("union"), "field %s of union %v %s", t.rows[i].name, t.typ, why)
				}
			}
		}
		t.index()
		c.setEmptyArm(t, u.o, u.site)
		for i := range t.arms.registered {
			f := t.rows[i].form
			t.arms.registered[i].copied = f.kind != kindPointer || f.elem.callsByPointer()
		}
	}
}

// notArm is why a field of a struct is no arm, "" if it is one.
func (r *row) notArm() string {
	switch t := r.form.typ; {
	case t.Kind() != reflect.Pointer:
		return fmt.Sprintf("is a value; the arms of a union are pointers, use *%v", t)
	case t.Elem().Kind() == reflect.Pointer:
		return "is a pointer to a pointer; use a single one"
	case r.via != nil:
		return "is promoted through a pointer; put the arms into the union itself"
	case r.required:
		return "is required; of the arms of a union one is set at most"
	}
	return ""
}

// hasEmptyArm reports whether the table is that of a union whose default is an arm.
func (t *table) hasEmptyArm() bool { return t.arms != nil && t.arms.empty != nil }

// setEmptyArm takes the option default_id.
func (c *compiler) setEmptyArm(t *table, o *tags.Options, s site) {
	if !o.HasDefaultID {
		return
	}
	if t.arms.empty = t.find(wire.ID(o.DefaultID)); t.arms.empty == nil {
		c.fault(s, o.Pos("default_id"), "default_id=%d is no arm of %v", o.DefaultID, t.typ)
		return
	}
	t.defaults = true
}

// arm writes the arm of a union that is set, also at its default.
func (s *encodeState) arm(t *table, p pointer) error {
	var set *row
	if t.arms.numbered {
		if n := *at[uint8](p.add(t.arms.number)); n > 0 {
			set = &t.rows[n-1]
		}
	} else {
		for i := range t.rows {
			r := &t.rows[i]
			if p.add(r.offset).load().isNil() {
				continue
			}
			if set != nil {
				return &UnsupportedValueError{Value: p.value(t.typ), Str: "two arms of the union are set, " + set.name + " and " + r.name + "; set one at most"}
			}
			set = r
		}
	}
	if set == nil {
		return nil
	}
	return within(s.value(set.form, set.id, p.add(set.offset), true), set.name)
}

// selectArm makes the arm at hand the one that is set in the union of the frame. It is
// called when a field has proved to be that arm: of several the last one wins.
func (d *decodeState) selectArm(fr *frame) {
	t, p := fr.table, fr.dst
	if t.arms.numbered {
		number := at[uint8](p.add(t.arms.number))
		now := uint8(fr.row.index + 1)
		if before := *number; before != now && before != 0 {
			r := &t.rows[before-1]
			d.resetValue(r.form, p.add(r.offset))
		}
		*number = now
		return
	}
	for i := range t.rows {
		if i != fr.row.index {
			p.add(t.rows[i].offset).store(pointer{})
		}
	}
}

// resetArms sets the union at p to its default: no arm, or the one that stands for an
// empty union.
func (d *decodeState) resetArms(t *table, p pointer) {
	for i := range t.rows {
		p.add(t.rows[i].offset).store(pointer{})
	}
	if r := t.arms.empty; r != nil {
		p.add(r.offset).store(d.newArm(r))
	}
}

// newArm is a new value for an arm to point to, at its default.
func (d *decodeState) newArm(r *row) pointer {
	target := newValue(r.form.typ.Elem())
	if r.form.kind == kindPointer {
		d.setDefaults(r.form.elem, target)
	}
	return target
}

// dynamic fills the form of an interface: any, or one with registered implementations.
func (c *compiler) dynamic(f *form, t reflect.Type, o *tags.Options, s site) bool {
	if !c.fits(o, "E", t, s) {
		return false
	}
	if arms := registeredUnions.use(t); arms != nil {
		return c.registered(f, t, arms, o, s)
	}
	switch {
	case o.Union || o.HasDefaultID:
		c.fault(s, firstGiven(o).Pos, "type %v is no registered union; call sofab.RegisterUnion[%v] in an init function", t, t)
	case t.NumMethod() > 0:
		other := ""
		if s.field != "" {
			other = ", or tag the field `sofab:\"-\"`"
		}
		c.fault(s, -1, "%stype %v is an interface without registered implementations; call sofab.RegisterUnion[%v] in an init function%s", s.subject(), t, t, other)
	default:
		return c.anything(f, t, s)
	}
	return false
}

// registered fills the form of an interface with registered implementations. Its
// stand-in is a union of pointers to them.
func (c *compiler) registered(f *form, t reflect.Type, list []UnionArm, o *tags.Options, s site) bool {
	fields := make([]reflect.StructField, len(list))
	a := &arms{byType: map[reflect.Type]int{}}
	for i, arm := range list {
		a.byType[arm.typ] = i
		a.registered = append(a.registered, registeredArm{
			typ: arm.typ, pointer: arm.typ.Kind() == reflect.Pointer, inline: storedDirectly(arm.typ),
		})
		fields[i] = reflect.StructField{Name: "Arm" + strconv.Itoa(int(arm.id)), Type: pointerTo(arm.typ)}
	}
	standIn := c.newForm(reflect.StructOf(fields), kindStruct, wire.SequenceStart)
	u := &table{typ: standIn.typ, plain: true, arms: a}
	standIn.table = u
	// The form can be met again while its arms are compiled.
	f.kind, f.wire = kindProxy, wire.SequenceStart
	f.proxy = &proxy{form: standIn, load: loadRegistered, store: storeRegistered, resume: resumeRegistered, isZero: isNilValue}
	ok := true
	for i, arm := range list {
		r := row{id: arm.id, offset: standIn.typ.Field(i).Offset, form: c.form(fields[i].Type, nil, s)}
		ok = ok && r.form != nil
		u.rows = append(u.rows, r)
	}
	if !ok {
		return false
	}
	if o.HasDefaultID {
		f.proxy.reset, f.proxy.hasDefault = resetRegistered, true
	}
	c.unions = append(c.unions, unionUse{u, nil, o, s})
	c.own = append(c.own, u)
	return true
}

// pointerTo is the type of the pointer that stands for an arm: the arm itself where it
// is a pointer.
func pointerTo(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t
	}
	return reflect.PointerTo(t)
}

// loadRegistered makes the arm of the dynamic type point to the value in the interface,
// which is only read.
func loadRegistered(f *form, value, standIn pointer) error {
	v := value.value(f.typ)
	if v.IsNil() {
		return nil
	}
	u := f.proxy.form.table
	i, ok := u.arms.byType[v.Elem().Type()]
	if !ok {
		t := v.Elem().Type()
		return &UnsupportedValueError{Value: v.Elem(), Str: fmt.Sprintf("type %v is not registered for %v; add sofab.Arm[%v](id) to its RegisterUnion", t, f.typ, t)}
	}
	arm := u.arms.registered[i]
	data := value.dataWord()
	if arm.pointer || !arm.inline {
		data = data.load()
	}
	if arm.copied && !arm.pointer {
		data = copyOf(v.Elem().Interface())
	}
	if data.isNil() {
		return &UnsupportedValueError{Value: v.Elem(), Str: fmt.Sprintf("nil %v in a registered interface; leave the interface nil", arm.typ)}
	}
	standIn.add(u.rows[i].offset).store(data)
	return nil
}

// resumeRegistered is loadRegistered for a union that goes on being decoded into: a
// value in an interface is copied, because others may hold the same.
func resumeRegistered(d *decodeState, f *form, value, standIn pointer) error {
	v := value.value(f.typ).Elem()
	u := f.proxy.form.table
	i, ok := u.arms.byType[v.Type()]
	if !ok {
		return nil
	}
	arm := standIn.add(u.rows[i].offset)
	if v.Kind() == reflect.Pointer {
		arm.store(value.dataWord().load())
		return nil
	}
	if !d.charge(int64(v.Type().Size())) {
		return d.fault
	}
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	arm.value(box.Type()).Set(box)
	return nil
}

// storeRegistered sets the interface to the arm that is set.
func storeRegistered(d *decodeState, f *form, value, standIn pointer) error {
	u := f.proxy.form.table
	v := value.value(f.typ)
	for i := range u.rows {
		arm := standIn.add(u.rows[i].offset).value(u.rows[i].form.typ)
		if arm.IsNil() {
			continue
		}
		if u.arms.registered[i].pointer {
			v.Set(arm)
			return nil
		}
		if !d.charge(int64(arm.Elem().Type().Size())) {
			return d.fault
		}
		v.Set(arm.Elem())
		return nil
	}
	v.SetZero()
	return nil
}

// resetRegistered sets the interface to the arm that stands for an empty union.
func resetRegistered(d *decodeState, f *form, value pointer) {
	u := f.proxy.form.table
	r := u.arms.empty
	arm := d.newArm(r).reflectPointer(r.form.typ.Elem())
	if u.arms.registered[r.index].pointer {
		value.value(f.typ).Set(arm)
	} else {
		value.value(f.typ).Set(arm.Elem())
	}
}
