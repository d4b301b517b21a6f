// Package caching lets caches keep answers, and tells who has one whether it still holds (RFC 9111, 9110).
package caching

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// AgeS is for how many seconds an answer may be kept.
const AgeS = 2

// Public lets answers to GET be kept that succeed and that are the same for everybody.
func Public(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Serve(w, r, next, func([]byte) bool { return true })
	})
}

// Serve lets an answer be kept where it succeeds and isPublic says of its body that it may be.
func Serve(w http.ResponseWriter, r *http.Request, next http.Handler, isPublic func([]byte) bool) {
	if r.Method != http.MethodGet || r.Header.Get("Upgrade") != "" {
		next.ServeHTTP(w, r)
		return
	}
	held := &held{ResponseWriter: w, status: http.StatusOK}
	next.ServeHTTP(held, r)
	body := held.body.Bytes()
	if held.status == http.StatusOK && isPublic(body) {
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256(body))
		w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", AgeS))
		w.Header().Set("ETag", tag)
		if names(r.Header.Get("If-None-Match"), tag) {
			w.Header().Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(held.status)
	w.Write(body)
}

// held is an answer that is not sent yet.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (it *held) WriteHeader(status int)          { it.status = status }
func (it *held) Write(piece []byte) (int, error) { return it.body.Write(piece) }

// names says whether a list of tags has one, which proxies may have made a weak one.
func names(list, tag string) bool {
	for _, each := range strings.Split(list, ",") {
		if each = strings.TrimPrefix(strings.TrimSpace(each), "W/"); each == tag || each == "*" {
			return true
		}
	}
	return false
}
