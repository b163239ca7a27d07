// A schema registry in memory, not of our own making: srfake of franz-go. Takes the address to listen on and, if a name and
// a password are wanted, the header that they make; says "ready" and ends with its standard input.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/twmb/franz-go/pkg/sr/srfake"
)

func main() {
	options := []srfake.Option{}
	if len(os.Args) > 2 {
		options = append(options, srfake.WithAuth(os.Args[2]))
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("ready")
	_ = http.Serve(listener, srfake.NewRegistry(options...).Handler())
}
