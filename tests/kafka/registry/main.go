// A schema registry in memory, not of our own making: srfake of franz-go. Takes the address to listen on and how it
// behaves; says "ready", and the port on which it speaks TLS if it does, and ends with its standard input.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/sr/srfake"
)

var (
	auth  = flag.String("auth", "", "the header that a name and a password make, if they are wanted")
	ca    = flag.String("tls", "", "speak TLS on another port too, and write here who vouches for that")
	busy  = flag.Int64("busy", 0, "so many questions for schemas are answered with 503")
	slow  = flag.Duration("slow", 0, "the first question for a schema is answered after so long")
	moved = flag.Bool("moved", false, "questions for schemas are sent to another place, which would answer")
)

func main() {
	flag.Parse()
	options := []srfake.Option{}
	if *auth != "" {
		options = append(options, srfake.WithAuth(*auth))
	}
	handler := behaving(srfake.NewRegistry(options...).Handler())
	listener, err := net.Listen("tcp", flag.Arg(0))
	check(err)
	said := "ready"
	if *ca != "" {
		encrypted, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{vouched(*ca)}})
		check(err)
		said += fmt.Sprintf(" %d", encrypted.Addr().(*net.TCPAddr).Port)
		go func() { _ = http.Serve(encrypted, handler) }()
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(said)
	_ = http.Serve(listener, handler)
}

// Answers as it is told to, before the registry does.
func behaving(registry http.Handler) http.Handler {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/schemas/") {
			asked := asked.Add(1)
			switch {
			case *moved:
				http.Redirect(w, r, "http://"+r.Host+"/there"+r.URL.Path, http.StatusFound)
				return
			case asked == 1 && *slow > 0:
				time.Sleep(*slow)
			case asked <= *busy:
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
		}
		http.StripPrefix(prefix(r.URL.Path), registry).ServeHTTP(w, r)
	})
}

func prefix(path string) string {
	if strings.HasPrefix(path, "/there/") {
		return "/there"
	}
	return ""
}

// A certificate for this machine, and in a file that of whoever has signed it.
func vouched(file string) tls.Certificate {
	sign := func(about, by *x509.Certificate, of, key *ecdsa.PrivateKey) []byte {
		bytes, err := x509.CreateCertificate(rand.Reader, about, by, &of.PublicKey, key)
		check(err)
		return bytes
	}
	about := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial),
			Subject:      pkix.Name{CommonName: name},
			NotBefore:    time.Now().Add(-time.Hour),
			NotAfter:     time.Now().Add(time.Hour),
		}
	}
	root, leaf := about(1, "tests"), about(2, "127.0.0.1")
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	leaf.IPAddresses, leaf.DNSNames = []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	rootKey, leafKey := key(), key()
	signed := sign(root, root, rootKey, rootKey)
	check(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o600))
	return tls.Certificate{Certificate: [][]byte{sign(leaf, root, leafKey, rootKey)}, PrivateKey: leafKey}
}

func key() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	return key
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
