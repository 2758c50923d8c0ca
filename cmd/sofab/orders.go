package main

// The order book, with the tags that encoding/json and sofab read side by side.
// Pointers are what may be absent; bounds are promises that both ends keep.

type Book struct {
	Store    string  `json:"store" sofab:"1,maxlen=80"`
	Currency string  `json:"currency" sofab:"2,maxlen=3"`
	Exported int64   `json:"exported" sofab:"3"` // all times are unix seconds
	Orders   []Order `json:"orders" sofab:"4,count=10000"`
}

type Order struct {
	ID       uint64   `json:"id" sofab:"1"`
	Number   string   `json:"number" sofab:"2,maxlen=16"`
	Status   Status   `json:"status" sofab:"3,enum=-1|0|1|2|3|4"`
	Placed   int64    `json:"placed" sofab:"4"`
	Shipped  *int64   `json:"shipped,omitempty" sofab:"5"`
	Express  bool     `json:"express,omitempty" sofab:"6"`
	Gift     bool     `json:"gift,omitempty" sofab:"7"`
	Customer Customer `json:"customer" sofab:"8"`
	ShipTo   Address  `json:"ship_to" sofab:"9"`
	BillTo   *Address `json:"bill_to,omitempty" sofab:"10"`
	Items    []Item   `json:"items" sofab:"11,count=200"`
	Payment  Payment  `json:"payment" sofab:"12"`
	Shipping int64    `json:"shipping,omitempty" sofab:"13"` // all amounts are in cents
	Total    int64    `json:"total" sofab:"14"`
	Note     *string  `json:"note,omitempty" sofab:"15,maxlen=1000"`
	Tags     []string `json:"tags,omitempty" sofab:"16,count=20,elem.maxlen=40"`
}

type Status int32

const (
	Cancelled Status = iota - 1
	Received
	Paid
	Packed
	Shipped
	Delivered
)

type Customer struct {
	ID       uint64  `json:"id" sofab:"1"`
	Name     string  `json:"name" sofab:"2,maxlen=120"`
	Email    string  `json:"email" sofab:"3,maxlen=254"`
	Phone    *string `json:"phone,omitempty" sofab:"4,maxlen=24"`
	Language string  `json:"language" sofab:"5,maxlen=8"`
	Since    int64   `json:"since" sofab:"6"`
	Business bool    `json:"business,omitempty" sofab:"7"`
}

type Address struct {
	Street   string    `json:"street" sofab:"1,maxlen=200"`
	City     string    `json:"city" sofab:"2,maxlen=120"`
	Region   string    `json:"region,omitempty" sofab:"3,maxlen=120"`
	Postcode string    `json:"postcode" sofab:"4,maxlen=12"`
	Country  string    `json:"country" sofab:"5,maxlen=2"`
	Location []float64 `json:"location,omitempty" sofab:"6,count=2"` // latitude, longitude
}

type Item struct {
	SKU      string   `json:"sku" sofab:"1,maxlen=16"`
	Title    string   `json:"title" sofab:"2,maxlen=200"`
	Quantity uint32   `json:"quantity" sofab:"3,default=1"`
	Price    int64    `json:"price" sofab:"4"`
	TaxRate  float64  `json:"tax_rate" sofab:"5"`
	Discount *float64 `json:"discount,omitempty" sofab:"6"`
	Weight   float32  `json:"weight,omitempty" sofab:"7,unit=kg"`
	Options  []string `json:"options,omitempty" sofab:"8,count=16,elem.maxlen=80"`
}

type Payment struct {
	Method string  `json:"method" sofab:"1,maxlen=16"`
	Paid   bool    `json:"paid,omitempty" sofab:"2"`
	Last4  *string `json:"last4,omitempty" sofab:"3,maxlen=4"`
}
