package main

import (
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() {
	text, err := os.ReadFile("rounds")
	if err != nil {
		log.Fatal(err)
	}
	rounds, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, _ *http.Request) {
		total := 0
		for number := 0; number < 16*rounds; number++ {
			total += number * number % 7
		}
		answer := "no"
		if total > 0 {
			answer = "ok"
		}
		if _, err := response.Write([]byte(answer)); err != nil {
			log.Print(err)
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
