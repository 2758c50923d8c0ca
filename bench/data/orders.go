package data

// Book is an order book with customers, addresses and line items.
type Book struct {
	Store    string  `sofab:"1,maxlen=80" json:"store" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Currency string  `sofab:"2,maxlen=3" json:"currency" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Exported int64   `sofab:"3" json:"exported" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Orders   []Order `sofab:"4,count=10000" json:"orders" msg:"4" msgpack:"4" cbor:"4,keyasint"`
}

type Order struct {
	ID       uint64   `sofab:"1" json:"id" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Number   string   `sofab:"2,maxlen=16" json:"number" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Status   Status   `sofab:"3,enum=-1|0|1|2|3|4" json:"status" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Placed   int64    `sofab:"4" json:"placed" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	Shipped  *int64   `sofab:"5" json:"shipped,omitempty" msg:"5,omitempty" msgpack:"5,omitempty" cbor:"5,keyasint,omitempty"`
	Express  bool     `sofab:"6" json:"express,omitempty" msg:"6,omitempty" msgpack:"6,omitempty" cbor:"6,keyasint,omitempty"`
	Gift     bool     `sofab:"7" json:"gift,omitempty" msg:"7,omitempty" msgpack:"7,omitempty" cbor:"7,keyasint,omitempty"`
	Customer Customer `sofab:"8" json:"customer" msg:"8" msgpack:"8" cbor:"8,keyasint"`
	ShipTo   Address  `sofab:"9" json:"ship_to" msg:"9" msgpack:"9" cbor:"9,keyasint"`
	BillTo   *Address `sofab:"10" json:"bill_to,omitempty" msg:"10,omitempty" msgpack:"10,omitempty" cbor:"10,keyasint,omitempty"`
	Items    []Item   `sofab:"11,count=200" json:"items" msg:"11" msgpack:"11" cbor:"11,keyasint"`
	Payment  Payment  `sofab:"12" json:"payment" msg:"12" msgpack:"12" cbor:"12,keyasint"`
	Shipping int64    `sofab:"13" json:"shipping,omitempty" msg:"13,omitempty" msgpack:"13,omitempty" cbor:"13,keyasint,omitempty"`
	Total    int64    `sofab:"14" json:"total" msg:"14" msgpack:"14" cbor:"14,keyasint"`
	Note     *string  `sofab:"15,maxlen=1000" json:"note,omitempty" msg:"15,omitempty" msgpack:"15,omitempty" cbor:"15,keyasint,omitempty"`
	Tags     []string `sofab:"16,count=20,elem.maxlen=40" json:"tags,omitempty" msg:"16,omitempty" msgpack:"16,omitempty" cbor:"16,keyasint,omitempty"`
}

type Customer struct {
	ID       uint64  `sofab:"1" json:"id" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Name     string  `sofab:"2,maxlen=120" json:"name" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Email    string  `sofab:"3,maxlen=254" json:"email" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Phone    *string `sofab:"4,maxlen=24" json:"phone,omitempty" msg:"4,omitempty" msgpack:"4,omitempty" cbor:"4,keyasint,omitempty"`
	Language string  `sofab:"5,maxlen=8" json:"language" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	Since    int64   `sofab:"6" json:"since" msg:"6" msgpack:"6" cbor:"6,keyasint"`
	Business bool    `sofab:"7" json:"business,omitempty" msg:"7,omitempty" msgpack:"7,omitempty" cbor:"7,keyasint,omitempty"`
}

type Address struct {
	Street   string    `sofab:"1,maxlen=200" json:"street" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	City     string    `sofab:"2,maxlen=120" json:"city" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Region   string    `sofab:"3,maxlen=120" json:"region,omitempty" msg:"3,omitempty" msgpack:"3,omitempty" cbor:"3,keyasint,omitempty"`
	Postcode string    `sofab:"4,maxlen=12" json:"postcode" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	Country  string    `sofab:"5,maxlen=2" json:"country" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	Location []float64 `sofab:"6,count=2" json:"location,omitempty" msg:"6,omitempty" msgpack:"6,omitempty" cbor:"6,keyasint,omitempty"`
}

type Item struct {
	SKU      string   `sofab:"1,maxlen=16" json:"sku" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Title    string   `sofab:"2,maxlen=200" json:"title" msg:"2" msgpack:"2" cbor:"2,keyasint"`
	Quantity uint32   `sofab:"3,default=1" json:"quantity" msg:"3" msgpack:"3" cbor:"3,keyasint"`
	Price    int64    `sofab:"4" json:"price" msg:"4" msgpack:"4" cbor:"4,keyasint"`
	TaxRate  float64  `sofab:"5" json:"tax_rate" msg:"5" msgpack:"5" cbor:"5,keyasint"`
	Discount *float64 `sofab:"6" json:"discount,omitempty" msg:"6,omitempty" msgpack:"6,omitempty" cbor:"6,keyasint,omitempty"`
	Weight   float32  `sofab:"7,unit=kg" json:"weight,omitempty" msg:"7,omitempty" msgpack:"7,omitempty" cbor:"7,keyasint,omitempty"`
	Options  []string `sofab:"8,count=16,elem.maxlen=80" json:"options,omitempty" msg:"8,omitempty" msgpack:"8,omitempty" cbor:"8,keyasint,omitempty"`
}

type Payment struct {
	Method string  `sofab:"1,maxlen=16" json:"method" msg:"1" msgpack:"1" cbor:"1,keyasint"`
	Paid   bool    `sofab:"2" json:"paid,omitempty" msg:"2,omitempty" msgpack:"2,omitempty" cbor:"2,keyasint,omitempty"`
	Last4  *string `sofab:"3,maxlen=4" json:"last4,omitempty" msg:"3,omitempty" msgpack:"3,omitempty" cbor:"3,keyasint,omitempty"`
}

// Status is an enum.
type Status int32
