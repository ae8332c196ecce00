// Command apitypes prints the Go types of Kubernetes' API as JSON: what a field is called, which
// number it has in protobuf, and when it is left out. The OpenAPI documents know none of the last
// two; the twin needs both to answer as a server made of these types does. Beside them stand the
// server's own, unversioned types of pods, which its refusals show.
package main

import (
	"encoding/json"
	"log"
	"os"
	"reflect"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

// field is one field of a struct. Its type is written as prefixes ("*" pointer, "[]" list,
// "{}" map of strings) and a base: "string", "int32", ..., or the name of another type.
type field struct {
	Type string `json:"type"`
	// Named is the Go name of a scalar that is not a plain one, as decoding errors tell it.
	Named string `json:"named,omitempty"`
	// Number is that of protobuf; 0 where the field is not in it.
	Number int `json:"number,omitempty"`
	// Omit says when it is left out: "empty", "zero", or never.
	Omit string `json:"omit,omitempty"`
	// Inline fields lie beside those of the struct that has them, in JSON.
	Inline bool `json:"inline,omitempty"`
}

type structType struct {
	Name   string           `json:"name"`
	Order  []string         `json:"order"`
	Fields map[string]field `json:"fields"`
}

type description struct {
	Kinds map[string]string     `json:"kinds"`
	Types map[string]structType `json:"types"`
	// PodSpec is the name of the unversioned type.
	PodSpec string `json:"podSpec"`
}

// special are types that write themselves: what lies inside is not read from their fields.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             "Time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        "MicroTime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                                         "Duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         "FieldsV1",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       "IntOrString",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          "RawExtension",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "JSON",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "SchemaOrBool",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "SchemaOrArray",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "SchemaOrStrings",
}

func main() {
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(scheme.Scheme); err != nil {
			log.Fatal(err)
		}
	}
	out := description{Kinds: map[string]string{}, Types: map[string]structType{}}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if strings.Contains(gvk.Version, "alpha") || strings.Contains(gvk.Version, "beta") || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		out.Kinds[gvk.GroupVersion().String()+"/"+gvk.Kind] = out.describe(typ)
	}
	out.PodSpec = out.describe(reflect.TypeOf(core.PodSpec{}))
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(out); err != nil {
		log.Fatal(err)
	}
}

func nameOf(typ reflect.Type) string { return typ.PkgPath() + "." + typ.Name() }

// describe adds a struct and all that it is made of; its name is the answer.
func (d *description) describe(typ reflect.Type) string {
	name := nameOf(typ)
	if base, found := special[name]; found {
		return base
	}
	if _, found := d.Types[name]; found {
		return name
	}
	described := structType{Name: typ.Name(), Order: []string{}, Fields: map[string]field{}}
	d.Types[name] = described
	for i := 0; i < typ.NumField(); i++ {
		f := typ.Field(i)
		tag, ok := f.Tag.Lookup("json")
		unversioned := strings.HasPrefix(typ.PkgPath(), "k8s.io/kubernetes/")
		if !ok && !f.Anonymous && !unversioned || tag == "-" || !f.IsExported() {
			continue
		}
		parts := strings.Split(tag, ",")
		key, options := parts[0], strings.Join(parts[1:], ",")
		entry := field{Number: number(f.Tag.Get("protobuf"))}
		entry.Inline = f.Anonymous && key == ""
		if key == "" {
			key = f.Name
		}
		switch {
		case strings.Contains(options, "omitzero"):
			entry.Omit = "zero"
		case strings.Contains(options, "omitempty"):
			entry.Omit = "empty"
		}
		entry.Type = d.typeOf(f.Type)
		scalar := f.Type
		for scalar.Kind() == reflect.Pointer || scalar.Kind() == reflect.Slice {
			scalar = scalar.Elem()
		}
		if scalar.PkgPath() != "" && scalar.Kind() != reflect.Struct {
			entry.Named = scalar.String()
		}
		described.Order = append(described.Order, key)
		described.Fields[key] = entry
	}
	d.Types[name] = described
	return name
}

func (d *description) typeOf(typ reflect.Type) string {
	if base, found := special[nameOf(typ)]; found {
		return base
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return "*" + d.typeOf(typ.Elem())
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if typ.Elem().Kind() == reflect.String && (typ.Name() == "ExtraValue" || typ.Name() == "Verbs") {
			return "Strings"
		}
		return "[]" + d.typeOf(typ.Elem())
	case reflect.Map:
		return "{}" + d.typeOf(typ.Elem())
	case reflect.Struct:
		return d.describe(typ)
	case reflect.Interface:
		return "any"
	default:
		return typ.Kind().String()
	}
}

// number reads the tag `protobuf:"bytes,2,opt,name=spec"`.
func number(tag string) int {
	parts := strings.Split(tag, ",")
	if len(parts) < 2 {
		return 0
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return n
}
