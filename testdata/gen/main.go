// Command gen writes the order book orders.json. Its output depends on nothing
// but this file: the same program writes the same bytes everywhere.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
)

type book struct {
	Store    string  `json:"store"`
	Currency string  `json:"currency"`
	Exported int64   `json:"exported"`
	Orders   []order `json:"orders"`
}

type order struct {
	ID       uint64   `json:"id"`
	Number   string   `json:"number"`
	Status   int      `json:"status"`
	Placed   int64    `json:"placed"`
	Shipped  *int64   `json:"shipped,omitempty"`
	Express  bool     `json:"express,omitempty"`
	Gift     bool     `json:"gift,omitempty"`
	Customer customer `json:"customer"`
	ShipTo   address  `json:"ship_to"`
	BillTo   *address `json:"bill_to,omitempty"`
	Items    []item   `json:"items"`
	Payment  payment  `json:"payment"`
	Shipping int64    `json:"shipping,omitempty"`
	Total    int64    `json:"total"`
	Note     *string  `json:"note,omitempty"`
	Tags     []string `json:"tags,omitempty"`
}

type customer struct {
	ID       uint64  `json:"id"`
	Name     string  `json:"name"`
	Email    string  `json:"email"`
	Phone    *string `json:"phone,omitempty"`
	Language string  `json:"language"`
	Since    int64   `json:"since"`
	Business bool    `json:"business,omitempty"`
}

type address struct {
	Street   string    `json:"street"`
	City     string    `json:"city"`
	Region   string    `json:"region,omitempty"`
	Postcode string    `json:"postcode"`
	Country  string    `json:"country"`
	Location []float64 `json:"location,omitempty"`
}

type item struct {
	SKU      string   `json:"sku"`
	Title    string   `json:"title"`
	Quantity uint32   `json:"quantity"`
	Price    int64    `json:"price"`
	TaxRate  float64  `json:"tax_rate"`
	Discount *float64 `json:"discount,omitempty"`
	Weight   float32  `json:"weight,omitempty"`
	Options  []string `json:"options,omitempty"`
}

type payment struct {
	Method string  `json:"method"`
	Paid   bool    `json:"paid,omitempty"`
	Last4  *string `json:"last4,omitempty"`
}

// rng is SplitMix64: four lines whose output no release of Go will change.
type rng uint64

func (r *rng) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *rng) intn(n int) int         { return int(r.next() % uint64(n)) }
func (r *rng) between(lo, hi int) int { return lo + r.intn(hi-lo+1) }
func (r *rng) percent(p int) bool     { return r.intn(100) < p }

func pick[T any](r *rng, list []T) T { return list[r.intn(len(list))] }

// A place gives what belongs together: names, streets and postcodes of one
// country, and where its towns lie.
type place struct {
	country, language, phone string
	tax                      float64
	first, last              []string // written in the place's own script
	mail                     []string // the same last names for an email address
	family                   bool     // family name first
	streets                  []string // %d is the house number
	towns                    []town
	notes                    []string
}

type town struct {
	name, region, postcode string // # in the postcode is a digit
	lat, lon               float64
}

var places = []place{
	{
		country: "DE", language: "de", phone: "+49 ", tax: 0.19,
		first:   []string{"Jürgen", "Änne", "Katharina", "Matthias", "Zoë", "Björn", "Lieselotte", "Emre"},
		last:    []string{"Müller", "Schäfer", "Größmann", "Weiß", "Yıldız", "Krämer", "Vogel"},
		mail:    []string{"mueller", "schaefer", "groessmann", "weiss", "yildiz", "kraemer", "vogel"},
		streets: []string{"Lange Straße %d", "Am Mühlbach %d", "Königsallee %d", "Gneisenaustraße %d", "Schloßplatz %d"},
		towns: []town{
			{"Köln", "Nordrhein-Westfalen", "506##", 50.9375, 6.9603},
			{"Berlin", "", "109##", 52.5200, 13.4050},
			{"München", "Bayern", "803##", 48.1351, 11.5820},
			{"Görlitz", "Sachsen", "0282#", 51.1563, 14.9910},
		},
		notes: []string{
			"Bitte beim Nachbarn Weiß (2. OG) abgeben, die Klingel ist kaputt.",
			"Als Geschenk verpacken 🎁 und ohne Rechnung verschicken.",
			"Lieferung erst ab 17 Uhr möglich – danke!",
		},
	},
	{
		country: "GB", language: "en", phone: "+44 ", tax: 0.20,
		first:   []string{"Oliver", "Siân", "Priya", "Callum", "Zadie", "Niamh", "Graham"},
		last:    []string{"Okafor", "Llewellyn", "Patel", "Fraser", "Ashworth", "O'Neill"},
		mail:    []string{"okafor", "llewellyn", "patel", "fraser", "ashworth", "oneill"},
		streets: []string{"%d Church Lane", "Flat 3, %d Canal Street", "%d St Mary's Road", "%d The Crescent"},
		towns: []town{
			{"Cardiff", "Wales", "CF10 #AT", 51.4816, -3.1791},
			{"Manchester", "Greater Manchester", "M1 #FW", 53.4808, -2.2426},
			{"Edinburgh", "Scotland", "EH3 #RH", 55.9533, -3.1883},
		},
		notes: []string{
			"Leave it with the concierge, please. No signature needed.",
			"Happy birthday, Nana! 🎂 Love from all of us x",
			"Second attempt: the last parcel went to number 14 by mistake.",
		},
	},
	{
		country: "FR", language: "fr", phone: "+33 ", tax: 0.20,
		first:   []string{"Éloïse", "François", "Maëlle", "Jérôme", "Anaïs", "Côme"},
		last:    []string{"Lefèvre", "Béranger", "Dupré", "Nguyễn", "Garçon"},
		mail:    []string{"lefevre", "beranger", "dupre", "nguyen", "garcon"},
		streets: []string{"%d, rue de la République", "%d bis, quai Saint-Antoine", "%d, allée des Érables", "%d, impasse du Chêne"},
		towns: []town{
			{"Lyon", "Auvergne-Rhône-Alpes", "6900#", 45.7640, 4.8357},
			{"Saint-Étienne", "Auvergne-Rhône-Alpes", "420##", 45.4397, 4.3872},
			{"Besançon", "Bourgogne-Franche-Comté", "250##", 47.2378, 6.0241},
		},
		notes: []string{
			"Le code de l'immeuble est 47B12, troisième étage à gauche.",
			"Merci d'éviter le plastique dans l'emballage ♻️",
		},
	},
	{
		country: "JP", language: "ja", phone: "+81 ", tax: 0.10, family: true,
		first:   []string{"陽菜", "健一", "さくら", "大輔", "美咲", "蓮"},
		last:    []string{"佐藤", "高橋", "渡辺", "小林", "山口"},
		mail:    []string{"sato", "takahashi", "watanabe", "kobayashi", "yamaguchi"},
		streets: []string{"神宮前%d丁目8番", "本町通り%d-12", "梅田%d丁目 スカイコート405"},
		towns: []town{
			{"渋谷区", "東京都", "150-00##", 35.6619, 139.7041},
			{"大阪市", "大阪府", "530-00##", 34.6937, 135.5023},
			{"札幌市", "北海道", "060-00##", 43.0618, 141.3545},
		},
		notes: []string{
			"宅配ボックスに入れてください。よろしくお願いします。",
			"贈り物です。のし紙をつけてください 🙇",
		},
	},
	{
		country: "GR", language: "el", phone: "+30 ", tax: 0.24,
		first:   []string{"Ελένη", "Γιώργος", "Δήμητρα", "Νίκος"},
		last:    []string{"Παπαδοπούλου", "Νικολάου", "Αγγελής"},
		mail:    []string{"papadopoulou", "nikolaou", "angelis"},
		streets: []string{"Ερμού %d", "Λεωφόρος Κηφισίας %d", "Τσιμισκή %d"},
		towns: []town{
			{"Αθήνα", "Αττική", "105 ##", 37.9838, 23.7275},
			{"Θεσσαλονίκη", "Μακεδονία", "546 ##", 40.6401, 22.9444},
		},
		notes: []string{
			"Παρακαλώ τηλεφωνήστε πριν από την παράδοση.",
		},
	},
	{
		country: "IL", language: "he", phone: "+972 ", tax: 0.18,
		first:   []string{"נועה", "יונתן", "תמר"},
		last:    []string{"לוי", "מזרחי", "פרץ"},
		mail:    []string{"levi", "mizrahi", "peretz"},
		streets: []string{"רחוב הרצל %d", "שדרות רוטשילד %d"},
		towns: []town{
			{"תל אביב", "", "67#####", 32.0853, 34.7818},
			{"חיפה", "", "33#####", 32.7940, 34.9896},
		},
		notes: []string{
			"נא להשאיר ליד הדלת, תודה 🙏",
		},
	},
	{
		country: "IN", language: "hi", phone: "+91 ", tax: 0.18,
		first:   []string{"आरव", "दिव्या", "Ananya", "रोहन"},
		last:    []string{"शर्मा", "Iyer", "पटेल"},
		mail:    []string{"sharma", "iyer", "patel"},
		streets: []string{"%d महात्मा गांधी मार्ग", "Plot %d, Sector 21", "%d, Linking Road"},
		towns: []town{
			{"मुंबई", "महाराष्ट्र", "4000##", 19.0760, 72.8777},
			{"Bengaluru", "Karnataka", "5600##", 12.9716, 77.5946},
		},
		notes: []string{
			"कृपया शाम 6 बजे के बाद ही डिलीवरी करें।",
			"Gate no. 2, call on arrival 📞",
		},
	},
}

type product struct {
	sku, title string
	price      int     // in cents
	weight     float64 // in kilograms, 0 for what is not shipped
	options    []string
}

var products = []product{
	{"LMP-0412", "Desk lamp »Halvard«, brass", 8990, 1.85, []string{"colour: brass", "colour: black", "bulb: warm white"}},
	{"CHR-2207", "Folding chair, oiled oak", 12900, 4.2, []string{"finish: natural", "finish: smoked"}},
	{"KTL-0031", "Gooseneck kettle 0.9 l", 6450, 1.12, []string{"plug: EU", "plug: UK", "matte white"}},
	{"TEA-1180", "Sencha 煎茶, first flush, 100 g", 1890, 0.13, nil},
	{"CFE-0907", "Espresso beans »Nº 7«, 1 kg", 2450, 1.02, []string{"whole bean", "ground: moka"}},
	{"MUG-0555", "Stoneware mug, 300 ml", 1650, 0.34, []string{"glaze: celadon", "glaze: iron red", "engraving: ♥"}},
	{"NTB-0101", "Dotted notebook A5, 160 pages", 1295, 0.29, []string{"cover: linen", "pages: dotted"}},
	{"PEN-0230", "Fountain pen, fine nib", 4900, 0.03, []string{"nib: F", "nib: M", "left-handed"}},
	{"BLK-3304", "Lambswool blanket 130 × 200 cm", 11900, 1.4, []string{"pattern: herringbone", "pattern: plain"}},
	{"KNF-0078", "Santoku knife 三徳, 165 mm", 13900, 0.21, []string{"handle: walnut"}},
	{"BRD-0415", "End-grain cutting board", 7400, 2.75, nil},
	{"PLT-0612", "Monstera deliciosa, 60 cm 🌿", 3990, 3.6, []string{"pot: terracotta", "pot: none"}},
	{"VNL-1977", "Vinyl record »Ljósin í bænum«", 2799, 0.31, nil},
	{"HDP-4410", "Closed-back headphones, 80 Ω", 15900, 0.47, []string{"cable: 3 m", "cable: coiled"}},
	{"USB-0009", "USB-C cable, 2 m, braided", 1490, 0.06, []string{"colour: graphite", "colour: coral"}},
	{"SOP-0340", "Olive oil soap, set of 3", 1350, 0.38, nil},
	{"BKE-2050", "Bicycle bell, polished copper", 2250, 0.11, nil},
	{"GFT-0025", "Gift card", 2500, 0, []string{"by email"}},
	{"WSH-0777", "Engraving service", 900, 0, []string{"font: Garamond", "text: \"Für Oma\""}},
	{"CRP-8120", "Kilim rug 170 × 240 cm", 34900, 6.9, []string{"shade: indigo", "underlay"}},
}

var (
	tagList = []string{"newsletter", "first-order", "returning", "fragile", "fraud-check:passed", "campaign:autumn", "b2b", "click&collect", "vip ⭐", "carbon-neutral"}
	methods = []string{"card", "card", "card", "paypal", "invoice", "transfer"}
	domains = []string{"example.com", "example.org", "mail.example.net", "post.example"}
)

// digits replaces every # in pattern by a digit.
func digits(r *rng, pattern string) string {
	out := []byte(pattern)
	for i, c := range out {
		if c == '#' {
			out[i] = byte('0' + r.intn(10))
		}
	}
	return string(out)
}

func round(x float64, places int) float64 {
	f := math.Pow10(places)
	return math.Round(x*f) / f
}

func newAddress(r *rng, p *place) address {
	t := pick(r, p.towns)
	a := address{
		Street:   fmt.Sprintf(pick(r, p.streets), r.between(1, 180)),
		City:     t.name,
		Region:   t.region,
		Postcode: digits(r, t.postcode),
		Country:  p.country,
	}
	if r.percent(60) {
		a.Location = []float64{
			round(t.lat+float64(r.between(-4000, 4000))/1e5, 5),
			round(t.lon+float64(r.between(-4000, 4000))/1e5, 5),
		}
	}
	return a
}

func newCustomer(r *rng, p *place, id uint64, before int64) customer {
	n := r.intn(len(p.last))
	name := pick(r, p.first) + " " + p.last[n]
	if p.family {
		name = p.last[n] + " " + pick(r, p.first)
	}
	c := customer{
		ID:       id,
		Name:     name,
		Email:    fmt.Sprintf("%s%d@%s", p.mail[n], r.between(2, 99), pick(r, domains)),
		Language: p.language,
		Since:    before - int64(r.between(0, 6*365*24*3600)),
		Business: r.percent(8),
	}
	if r.percent(45) {
		phone := p.phone + digits(r, "### #######")
		c.Phone = &phone
	}
	return c
}

func newItem(r *rng, p *place, prod product) item {
	it := item{
		SKU:      prod.sku,
		Title:    prod.title,
		Quantity: 1,
		Price:    int64(prod.price),
		TaxRate:  p.tax,
		Weight:   float32(prod.weight),
	}
	if r.percent(30) {
		it.Quantity = uint32(r.between(2, 6))
	}
	if r.percent(15) {
		d := pick(r, []float64{0.05, 0.1, 0.125, 0.2})
		it.Discount = &d
	}
	if len(prod.options) > 0 && r.percent(60) {
		first := r.intn(len(prod.options))
		it.Options = append(it.Options, prod.options[first])
		if second := r.intn(len(prod.options)); second != first && r.percent(40) {
			it.Options = append(it.Options, prod.options[second])
		}
	}
	return it
}

func newOrder(r *rng, i int, placed int64, customers []customer, at []*place) order {
	c := r.intn(len(customers))
	p := at[c]
	o := order{
		ID:       7_300_000 + uint64(i)*3 + uint64(r.intn(3)),
		Number:   fmt.Sprintf("SO-26-%05d", 4180+i),
		Placed:   placed,
		Customer: customers[c],
		ShipTo:   newAddress(r, p),
		Express:  r.percent(12),
		Gift:     r.percent(9),
	}
	if r.percent(14) {
		bill := newAddress(r, p)
		o.BillTo = &bill
	}
	var sum int64
	first := r.intn(len(products))
	for n := range pick(r, []int{1, 1, 1, 2, 2, 3, 4}) {
		it := newItem(r, p, products[(first+n*7)%len(products)])
		line := float64(it.Price) * float64(it.Quantity)
		if it.Discount != nil {
			line *= 1 - *it.Discount
		}
		sum += int64(math.Round(line))
		o.Items = append(o.Items, it)
	}
	if sum < 10000 {
		o.Shipping = 590
	}
	if o.Express {
		o.Shipping += 900
	}
	o.Total = sum + o.Shipping

	o.Payment.Method = pick(r, methods)
	if o.Payment.Method == "card" {
		last4 := digits(r, "####")
		o.Payment.Last4 = &last4
	}
	// 0 received, 1 paid, 2 packed, 3 shipped, 4 delivered, -1 cancelled
	o.Status = pick(r, []int{0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 4, -1})
	o.Payment.Paid = o.Status > 0
	if o.Status >= 3 {
		shipped := placed + int64(r.between(5*3600, 80*3600))
		o.Shipped = &shipped
	}
	if r.percent(28) {
		note := pick(r, p.notes)
		o.Note = &note
	}
	tag := r.intn(len(tagList))
	for n := range pick(r, []int{0, 0, 1, 1, 2, 3}) {
		o.Tags = append(o.Tags, tagList[(tag+n*3)%len(tagList)])
	}
	return o
}

func generate() book {
	const start = 1788249600 // 2026-09-01 08:00 UTC
	r := rng(20260901)

	var customers []customer
	var at []*place
	for i := range 180 {
		p := &places[0]
		if r.percent(70) {
			p = &places[r.intn(len(places))]
		}
		customers = append(customers, newCustomer(&r, p, 52_000+uint64(i)*17, start))
		at = append(at, p)
	}

	b := book{Store: "Krämer & Töchter — Haus, Hof & Küche", Currency: "EUR"}
	placed := int64(start)
	for i := range 300 {
		placed += int64(r.between(40, 9000))
		b.Orders = append(b.Orders, newOrder(&r, i, placed, customers, at))
	}
	b.Exported = placed + 3600
	return b
}

// render writes one order per line, so that a change shows as a readable diff.
func render(b book) ([]byte, error) {
	orders := b.Orders
	b.Orders = nil
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		return nil, err
	}
	head := strings.TrimSuffix(out.String(), "null}\n")
	out.Reset()
	out.WriteString(head + "[\n")
	for i, o := range orders {
		if err := enc.Encode(o); err != nil {
			return nil, err
		}
		if i < len(orders)-1 {
			out.Truncate(out.Len() - 1)
			out.WriteString(",\n")
		}
	}
	out.WriteString("]}\n")
	return out.Bytes(), nil
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	name := flag.String("o", "orders.json", "file to write")
	flag.Parse()
	data, err := render(generate())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*name, data, 0o644); err != nil {
		log.Fatal(err)
	}
}
