package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/quic-go/quic-go/http3"
)

// certified has a certificate for the address, made now and signed by itself: what is measured is
// what encryption costs, not whom it convinces.
func certified(address string) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "tokens"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.ParseIP(host)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		MinVersion:   tls.VersionTLS13,
	}, nil
}

// secured speaks TLS on a listener, and offers HTTP/2 and HTTP/1.1.
func secured(listener net.Listener, address string) (net.Listener, error) {
	config, err := certified(address)
	if err != nil {
		return nil, err
	}
	config.NextProtos = []string{"h2", "http/1.1"}
	return tls.NewListener(listener, config), nil
}

// overQUIC answers HTTP/3 until the signal.
func overQUIC(ctx context.Context, address string, handler http.Handler) error {
	config, err := certified(address)
	if err != nil {
		return err
	}
	server := &http3.Server{Addr: address, Handler: handler, TLSConfig: http3.ConfigureTLSConfig(config), IdleTimeout: keepAlive}
	return untilDone(ctx, server, server.ListenAndServe)
}
