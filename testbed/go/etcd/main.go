// Command etcd is etcd's server, built from the Go module that the proxy serves:
// the command itself is not part of that module.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
