package byhand

import "github.com/sofab-go/sofab/bench/data"

func AppendBook(b []byte, m *data.Book) (_ []byte, err error) {
	if b, err = appendString(b, 1<<3|fixlen, m.Store); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 2<<3|fixlen, m.Currency); err != nil {
		return nil, err
	}
	b = appendInt(b, 3<<3|signed, m.Exported)
	if len(m.Orders) == 0 {
		return b, nil
	}
	b = append(b, 4<<3|sequence)
	for i := range m.Orders {
		start := len(b)
		b = appendVarint(b, uint64(i)<<3|sequence)
		fields := len(b)
		if b, err = appendOrder(b, &m.Orders[i]); err != nil {
			return nil, err
		}
		if len(b) == fields && i < len(m.Orders)-1 {
			b = b[:start]
		} else {
			b = append(b, end)
		}
	}
	return append(b, end), nil
}

func appendOrder(b []byte, m *data.Order) (_ []byte, err error) {
	b = appendUint(b, 1<<3|unsigned, m.ID)
	if b, err = appendString(b, 2<<3|fixlen, m.Number); err != nil {
		return nil, err
	}
	b = appendInt(b, 3<<3|signed, int64(m.Status))
	b = appendInt(b, 4<<3|signed, m.Placed)
	if m.Shipped != nil {
		b = appendVarint(append(b, 5<<3|signed), zigzag(*m.Shipped))
	}
	b = appendBool(b, 6<<3|unsigned, m.Express)
	b = appendBool(b, 7<<3|unsigned, m.Gift)
	start := len(b)
	if b, err = appendCustomer(append(b, 8<<3|sequence), &m.Customer); err != nil {
		return nil, err
	}
	b = closed(b, start, 1)
	start = len(b)
	if b, err = appendAddress(append(b, 9<<3|sequence), &m.ShipTo); err != nil {
		return nil, err
	}
	b = closed(b, start, 1)
	if m.BillTo != nil {
		if b, err = appendAddress(append(b, 10<<3|sequence), m.BillTo); err != nil {
			return nil, err
		}
		b = append(b, end)
	}
	if len(m.Items) > 0 {
		if b, err = appendItems(append(b, 11<<3|sequence), m.Items); err != nil {
			return nil, err
		}
	}
	start = len(b)
	if b, err = appendPayment(append(b, 12<<3|sequence), &m.Payment); err != nil {
		return nil, err
	}
	b = closed(b, start, 1)
	b = appendInt(b, 13<<3|signed, m.Shipping)
	b = appendInt(b, 14<<3|signed, m.Total)
	if m.Note != nil {
		if b, err = appendText(append(b, 15<<3|fixlen), *m.Note); err != nil {
			return nil, err
		}
	}
	if len(m.Tags) > 0 {
		return appendStrings(append(b, 16<<3&0x7f|sequence|0x80, 16>>4), m.Tags)
	}
	return b, nil
}

func appendCustomer(b []byte, m *data.Customer) (_ []byte, err error) {
	b = appendUint(b, 1<<3|unsigned, m.ID)
	if b, err = appendString(b, 2<<3|fixlen, m.Name); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 3<<3|fixlen, m.Email); err != nil {
		return nil, err
	}
	if m.Phone != nil {
		if b, err = appendText(append(b, 4<<3|fixlen), *m.Phone); err != nil {
			return nil, err
		}
	}
	if b, err = appendString(b, 5<<3|fixlen, m.Language); err != nil {
		return nil, err
	}
	b = appendInt(b, 6<<3|signed, m.Since)
	return appendBool(b, 7<<3|unsigned, m.Business), nil
}

func appendAddress(b []byte, m *data.Address) (_ []byte, err error) {
	if b, err = appendString(b, 1<<3|fixlen, m.Street); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 2<<3|fixlen, m.City); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 3<<3|fixlen, m.Region); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 4<<3|fixlen, m.Postcode); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 5<<3|fixlen, m.Country); err != nil {
		return nil, err
	}
	return appendDoubles(b, 6<<3|arrayFixlen, m.Location), nil
}

func appendItems(b []byte, list []data.Item) (_ []byte, err error) {
	for i := range list {
		start := len(b)
		b = appendVarint(b, uint64(i)<<3|sequence)
		fields := len(b)
		if b, err = appendItem(b, &list[i]); err != nil {
			return nil, err
		}
		if len(b) == fields && i < len(list)-1 {
			b = b[:start]
		} else {
			b = append(b, end)
		}
	}
	return append(b, end), nil
}

func appendItem(b []byte, m *data.Item) (_ []byte, err error) {
	if b, err = appendString(b, 1<<3|fixlen, m.SKU); err != nil {
		return nil, err
	}
	if b, err = appendString(b, 2<<3|fixlen, m.Title); err != nil {
		return nil, err
	}
	if m.Quantity != 1 {
		b = appendVarint(append(b, 3<<3|unsigned), uint64(m.Quantity))
	}
	b = appendInt(b, 4<<3|signed, m.Price)
	b = appendDouble(b, 5<<3|fixlen, m.TaxRate)
	if m.Discount != nil {
		b = appendFixed(append(b, 6<<3|fixlen), *m.Discount)
	}
	b = appendFloat(b, 7<<3|fixlen, m.Weight)
	if len(m.Options) > 0 {
		return appendStrings(append(b, 8<<3|sequence), m.Options)
	}
	return b, nil
}

func appendPayment(b []byte, m *data.Payment) (_ []byte, err error) {
	if b, err = appendString(b, 1<<3|fixlen, m.Method); err != nil {
		return nil, err
	}
	b = appendBool(b, 2<<3|unsigned, m.Paid)
	if m.Last4 != nil {
		return appendText(append(b, 3<<3|fixlen), *m.Last4)
	}
	return b, nil
}

func DecodeBook(b []byte, m *data.Book) error {
	r := reader{b: b}
	for r.more() {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.Store = r.text()
		case 2<<3 | fixlen:
			m.Currency = r.text()
		case 3<<3 | signed:
			m.Exported = r.signed()
		case 4<<3 | sequence:
			m.Orders = r.orders()
		default:
			r.fail(errUnexpected)
		}
	}
	return r.err
}

func (r *reader) orders() []data.Order {
	list := []data.Order{}
	for {
		h := r.varint()
		if h == end || r.err != nil {
			return list
		}
		if h&7 != sequence {
			r.fail(errUnexpected)
			return list
		}
		if list = place(r, list, h>>3); r.err == nil {
			r.order(&list[h>>3])
		}
	}
}

func (r *reader) order(m *data.Order) {
	for {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.ID = r.varint()
		case 2<<3 | fixlen:
			m.Number = r.text()
		case 3<<3 | signed:
			m.Status = readInt[data.Status](r)
		case 4<<3 | signed:
			m.Placed = r.signed()
		case 5<<3 | signed:
			m.Shipped = new(r.signed())
		case 6<<3 | unsigned:
			m.Express = r.varint() != 0
		case 7<<3 | unsigned:
			m.Gift = r.varint() != 0
		case 8<<3 | sequence:
			r.customer(&m.Customer)
		case 9<<3 | sequence:
			r.address(&m.ShipTo)
		case 10<<3 | sequence:
			if m.BillTo == nil {
				m.BillTo = new(data.Address)
			}
			r.address(m.BillTo)
		case 11<<3 | sequence:
			m.Items = r.items()
		case 12<<3 | sequence:
			r.payment(&m.Payment)
		case 13<<3 | signed:
			m.Shipping = r.signed()
		case 14<<3 | signed:
			m.Total = r.signed()
		case 15<<3 | fixlen:
			m.Note = new(r.text())
		case 16<<3 | sequence:
			m.Tags = r.texts()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) customer(m *data.Customer) {
	for {
		switch r.varint() {
		case 1<<3 | unsigned:
			m.ID = r.varint()
		case 2<<3 | fixlen:
			m.Name = r.text()
		case 3<<3 | fixlen:
			m.Email = r.text()
		case 4<<3 | fixlen:
			m.Phone = new(r.text())
		case 5<<3 | fixlen:
			m.Language = r.text()
		case 6<<3 | signed:
			m.Since = r.signed()
		case 7<<3 | unsigned:
			m.Business = r.varint() != 0
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) address(m *data.Address) {
	for {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.Street = r.text()
		case 2<<3 | fixlen:
			m.City = r.text()
		case 3<<3 | fixlen:
			m.Region = r.text()
		case 4<<3 | fixlen:
			m.Postcode = r.text()
		case 5<<3 | fixlen:
			m.Country = r.text()
		case 6<<3 | arrayFixlen:
			m.Location = r.doubles()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) items() []data.Item {
	list := []data.Item{}
	for {
		h := r.varint()
		if h == end || r.err != nil {
			return list
		}
		if h&7 != sequence {
			r.fail(errUnexpected)
			return list
		}
		for gap := len(list); uint64(gap) <= h>>3; gap++ {
			if list = place(r, list, uint64(gap)); r.err != nil {
				return list
			}
			list[gap].Quantity = 1
		}
		r.item(&list[h>>3])
	}
}

func (r *reader) item(m *data.Item) {
	for {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.SKU = r.text()
		case 2<<3 | fixlen:
			m.Title = r.text()
		case 3<<3 | unsigned:
			m.Quantity = readUint[uint32](r)
		case 4<<3 | signed:
			m.Price = r.signed()
		case 5<<3 | fixlen:
			m.TaxRate = r.double()
		case 6<<3 | fixlen:
			m.Discount = new(r.double())
		case 7<<3 | fixlen:
			m.Weight = r.float()
		case 8<<3 | sequence:
			m.Options = r.texts()
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}

func (r *reader) payment(m *data.Payment) {
	for {
		switch r.varint() {
		case 1<<3 | fixlen:
			m.Method = r.text()
		case 2<<3 | unsigned:
			m.Paid = r.varint() != 0
		case 3<<3 | fixlen:
			m.Last4 = new(r.text())
		case end:
			return
		default:
			r.fail(errUnexpected)
			return
		}
	}
}
