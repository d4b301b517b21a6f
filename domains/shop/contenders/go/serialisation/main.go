// Command serialisation says what writing and reading answers of the shop takes, as JSON and as messages.
//
// benches/serialisation starts it, gives it answers on standard input, and reads a line for each form.
package main

import (
	"encoding/json"
	"log"
	"os"
	"slices"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"

	"wirelab.example/shop/messages"
	"wirelab.example/shop/shop"
	"wirelab.example/shop/shoppb"
)

const batches = 5

type question struct {
	Seconds float64           `json:"seconds"`
	Answers map[string]string `json:"answers"`
}

type cost struct {
	TimeNS float64 `json:"time_ns"`
	CPUNS  float64 `json:"cpu_ns"`
}

type line struct {
	Answer  string `json:"answer"`
	Form    string `json:"form"`
	Written []byte `json:"written"`
	Write   cost   `json:"write"`
	Read    cost   `json:"read"`
}

// way is one form of an answer: how it is written, and how it is read.
type way struct {
	write func() ([]byte, error)
	read  func([]byte) error
}

// ways are the two forms of an answer that is given as JSON.
func ways[Value any, Form any, Message interface {
	*Form
	proto.Message
}](text string, message func(Value) Message) (map[string]way, error) {
	var value Value
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	return map[string]way{
		"json": {
			func() ([]byte, error) { return json.Marshal(value) },
			func(text []byte) error { var read Value; return json.Unmarshal(text, &read) },
		},
		"protobuf": {
			func() ([]byte, error) { return proto.Marshal(message(value)) },
			func(text []byte) error { return proto.Unmarshal(text, Message(new(Form))) },
		},
	}, nil
}

func waysOf(answer, text string) (map[string]way, error) {
	switch answer {
	case "products":
		return ways[[]*shop.Product, shoppb.ProductList](text, messages.Products)
	case "product":
		return ways[*shop.Product, shoppb.Product](text, messages.Product)
	case "profile":
		return ways[*shop.User, shoppb.User](text, messages.User)
	case "session":
		return ways[*shop.Session, shoppb.Session](text, messages.Session)
	case "orders":
		return ways[[]*shop.Order, shoppb.OrderList](text, messages.Orders)
	default:
		return ways[*shop.Order, shoppb.Order](text, messages.Order)
	}
}

// taken is the time and CPU time of an action: the medians of some batches.
func taken(action func() error, seconds float64) cost {
	count := 1
	for batch(action, count).TimeNS < 1e9*seconds/batches {
		count *= 2
	}
	var times, cpus []float64
	for range batches {
		one := batch(action, count)
		times = append(times, one.TimeNS/float64(count))
		cpus = append(cpus, one.CPUNS/float64(count))
	}
	slices.Sort(times)
	slices.Sort(cpus)
	return cost{times[batches/2], cpus[batches/2]}
}

func batch(action func() error, count int) cost {
	began, cpu := time.Now(), cpuNS()
	for range count {
		if err := action(); err != nil {
			log.Fatal(err)
		}
	}
	return cost{float64(time.Since(began)), cpuNS() - cpu}
}

// cpuNS is the CPU time of all threads: the garbage collector's is the price of what is allocated.
func cpuNS() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	return float64(used.Utime.Nano() + used.Stime.Nano())
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	for answer, text := range asked.Answers {
		forms, err := waysOf(answer, text)
		if err != nil {
			log.Fatal(err)
		}
		for form, way := range forms {
			written, err := way.write()
			if err != nil {
				log.Fatal(err)
			}
			write := taken(func() error { _, err := way.write(); return err }, asked.Seconds)
			read := taken(func() error { return way.read(written) }, asked.Seconds)
			if err := out.Encode(line{answer, form, written, write, read}); err != nil {
				log.Fatal(err)
			}
		}
	}
}
