package sofab

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
)

// An entry is what is known of the type of a value that is marshalled or unmarshalled:
// the table of its message, or why there is none.
type entry struct {
	id     uintptr // typeID of the type
	typ    reflect.Type
	table  *table // of the message
	levels int    // pointers between a value of the type and the message
	// copied: a value in an interface is copied before it is encoded, because the
	// interface holds it directly (see storedDirectly), or because it would be changed
	// by a method with a pointer receiver.
	copied bool
	direct bool  // the type is a pointer to a message and has no faults
	simple bool  // as direct, and simple alone decodes the message
	flat   bool  // direct, and the message starts with what runFlat does
	err    error // joined TagErrors
}

// A cache finds the entry of a type. Reading takes no lock: it probes an array of
// atomic pointers that only ever gain entries. An entry is stored when everything it
// reaches is complete, so nobody sees a codec that is being compiled. The entry of a
// type with faults is stored as well.
type cache struct {
	slots atomic.Pointer[slots]

	mu     sync.Mutex // held to compile and to store
	count  int
	tables map[reflect.Type]*table // complete ones, shared by the entries
}

// slots is a hash table with open addressing, at most half full; its size is a power
// of two.
type slots []atomic.Pointer[entry]

const firstSlots = 64

// hash spreads type ids, which are addresses; the low bits carry little.
func hash(id uintptr) int { return int(uint32(id>>4) * 0x9E3779B1 >> 8) }

func (s slots) find(id uintptr) *entry {
	for i := hash(id); ; i++ {
		if e := s[i&(len(s)-1)].Load(); e == nil || e.id == id {
			return e
		}
	}
}

func (s slots) add(e *entry) {
	i := hash(e.id)
	for s[i&(len(s)-1)].Load() != nil {
		i++
	}
	s[i&(len(s)-1)].Store(e)
}

// known is the entry of a type, or nil if there is none yet.
func (c *cache) known(id uintptr) *entry {
	if s := c.slots.Load(); s != nil {
		return s.find(id)
	}
	return nil
}

// entryOf is the entry of the dynamic type of v, which is not nil.
func (c *cache) entryOf(v any) *entry {
	id := typeID(v)
	if e := c.known(id); e != nil {
		return e
	}
	return c.compile(id, reflect.TypeOf(v))
}

// entryFor is the entry of pointers to a type.
func (c *cache) entryFor(t reflect.Type) *entry {
	return c.entryOf(reflect.New(t).Interface())
}

// compile makes and stores the entry of a type.
func (c *cache) compile(id uintptr, t reflect.Type) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.slots.Load()
	if s != nil {
		if e := s.find(id); e != nil {
			return e
		}
	}
	e := c.newEntry(t)
	e.id = id
	if s == nil || 2*(c.count+1) > len(*s) {
		s = c.grow(s)
	}
	s.add(e)
	c.count++
	return e
}

// grow publishes a table of twice the size with the same entries.
func (c *cache) grow(old *slots) *slots {
	size := firstSlots
	if old != nil {
		size = 2 * len(*old)
	}
	s := make(slots, size)
	if old != nil {
		for i := range *old {
			if e := (*old)[i].Load(); e != nil {
				s.add(e)
			}
		}
	}
	c.slots.Store(&s)
	return &s
}

// newEntry compiles t and everything it reaches. The new tables are shared with later
// entries if the whole of them is free of faults.
func (c *cache) newEntry(t reflect.Type) *entry {
	e := &entry{typ: t, copied: storedDirectly(t)}
	target := t
	for target.Kind() == reflect.Pointer && !endless(target) {
		target = target.Elem()
		e.levels++
	}
	k := newCompiler(c.tables)
	e.table = k.message(target)
	if k.link(); len(k.faults) > 0 {
		e.table, e.err = nil, errors.Join(k.faults...)
		return e
	}
	e.copied = e.copied || e.table.callsByPointer()
	e.direct = e.levels == 1 && target.Kind() == reflect.Struct
	e.simple = fastPaths && e.direct && e.table.isSimple()
	e.flat = fastPaths && e.direct && e.table.flat
	if c.tables == nil {
		c.tables = make(map[reflect.Type]*table)
	}
	for t, table := range k.tables {
		c.tables[t] = table
	}
	return e
}
