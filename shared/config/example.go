package config

import (
	"fmt"
	"reflect"
	"strings"
)

//go:generate go test . -run TestExample -update

// Example returns the text of a file that names every setting with its
// meaning and its default.
func Example() string {
	var b strings.Builder
	b.WriteString("# Every setting of the service, with its default. What is not set keeps it.\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", f.Tag.Get("doc"), f.Tag.Get("env"), f.Tag.Get("envDefault"))
	}
	return b.String()
}

// nameOf returns the name in the environment of a field of Config.
func nameOf(field string) string {
	if f, ok := reflect.TypeFor[Config]().FieldByName(field); ok {
		return f.Tag.Get("env")
	}
	return field
}
