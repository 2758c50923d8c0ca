// Package sofab encodes Go structs as SofaBuffers messages and decodes them, with the
// functions of encoding/json: the fields of a struct carry ids in their tags, and no
// schema file, code generator or registration is needed.
//
//	type Booking struct {
//		ID     uint64 `sofab:"1"`
//		Guest  Guest  `sofab:"2"`
//		Nights uint8  `sofab:"3,default=1"`
//	}
//
//	data, err := sofab.Marshal(booking)
//	err = sofab.Unmarshal(data, &booking)
//
// # Model
//
// A message is a list of fields, each with an id and one of a few wire types: unsigned,
// signed, fixlen (fp32, fp64, string, blob), arrays of numbers, and sequences, which
// hold fields again. A struct is a message or a sequence, with the ids of its tags by
// ascending order. Equal values have equal bytes.
//
// A field at its default is not written, and absence means the default. Decoding
// therefore resets its destination first; [Options] Merge keeps what is there. A field
// that arrives with another wire type than declared is skipped, as an unknown one is,
// so that readers and writers of different age understand each other.
//
// The tag `sofab:"7,maxlen=64"` is an id and options; package
// [github.com/sofab-go/sofab/tags] has the grammar. Every exported field has a tag, if
// only `sofab:"-"`. Faults of a type and of all that it reaches are reported together,
// as *[TagError], by every function that meets the type; [Check] does it in a test.
//
// # Types
//
//	bool, integers                      unsigned, signed; the Go width is the bound
//	float32, float64                    fp32, fp64; every bit survives
//	string                              string, which must be UTF-8
//	[]byte, [N]byte                     blob
//	[]T, [N]T of numbers                array
//	[]T, [N]T of anything else          sequence of elements, the id is the index
//	map[K]V                             the same, of entries with the ids 0 and 1, by key
//	struct                              sequence
//	*T, sql.Null[T] and its kin         as T, with presence
//	time.Time                           sequence of seconds, nanoseconds and zone offset
//	time.Duration                       signed, in nanoseconds
//	big.Int; big.Rat, big.Float         blob; string
//	any                                 union of what JSON can hold and more, see [Marshal]
//	interfaces                          union, see [RegisterUnion]
//	MarshalerTo, Marshaler,             what their methods write, in this order; each
//	encoding.BinaryMarshaler,           needs its counterpart for decoding
//	encoding.TextMarshaler
//	RawMessage, RawField, Fields,       what arrived, for later
//	UnknownFields
//
// A value that is not a struct is a message with that value at id 0.
//
// # Presence
//
// Zero and absent are one value, and so are nil and empty slices and maps. Where they
// must differ there are pointers, which are written whenever they are not nil, and the
// tag option presence. The option default declares another default than zero, the option
// required makes absence an error.
//
// # Framing
//
// A message does not say where it ends. [Unmarshal] is given one as a slice,
// [UnmarshalRead] a reader with nothing behind it, and a [Feeder] chunks of any size. An
// [Encoder] ends each message on a stream with the byte 07 and a [Decoder] stops there;
// [Options] Framing selects a length in front instead, or nothing.
//
// # Limits
//
// The bounds maxlen and count of a tag hold in both directions. Where there is none, a
// received field falls under the [Limits] of the codec: elements of an array, bytes of a
// string or blob, bytes of a streamed message, and memory as a multiple of the bytes
// read. All are finite by default. Sequences nest up to 255 deep.
//
// # Errors
//
// Errors name the field by its path (Order.Items[3].Price) and, when decoding, the
// offset in the input. By [errors.Is] they are [ErrInvalid] (malformed, or over a bound),
// [ErrIncomplete] (ends too early), [ErrLimit] (over a limit of the receiver) or
// [ErrUnknownField]; [errors.As] finds types with the details, such as *[SyntaxError] and
// *[BoundError]. Errors of readers and writers are returned as they are. After an error
// the destination is valid but unspecified. No input makes decoding panic.
//
// # Concurrency
//
// The functions and a [Codec] are safe for concurrent use, as long as nobody changes
// the values meanwhile. An [Encoder], [Decoder] or [Feeder] belongs to one goroutine at a
// time.
//
// # Memory
//
// What [Marshal] returns and what decoding stores share no memory with their input. Small
// decoded values share allocations among themselves: a kept string of at most 1 KiB can
// keep 4 KiB alive, an element of a slice or a target of a pointer 8 KiB, or what the
// slice it came in takes. [Options] OwnMemory gives each value its own. [Options] Alias
// lets strings and blobs be parts of the input, and Reuse lets slices of the destination
// keep their memory.
package sofab
