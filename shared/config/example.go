package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Names returns the names of all settings in the environment, in the order of
// the fields of Config.
func Names() []string {
	var names []string
	for _, f := range settings() {
		names = append(names, f.Tag.Get("env"))
	}
	return names
}

// Secret reports whether a setting is a secret, as its meaning says in its first word.
func Secret(name string) bool {
	return slices.ContainsFunc(settings(), func(f reflect.StructField) bool {
		return f.Tag.Get("env") == name && strings.HasPrefix(f.Tag.Get("doc"), "Secret.")
	})
}

// localOnly are the settings that are useful on a developer's machine and unsafe, or a
// mistake, in production.
var localOnly = []string{"ORIGIN_ALLOW", "CATALOG_EXTRA", "FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST", "JOBS_TOKEN", "MAIL_FOLDER"}

// Together returns the settings of which a service has all or none, in groups. A process
// that reads a part of a group checks that part.
func Together() [][]string {
	return [][]string{
		{"HUMAN_VERIFY_URL", "HUMAN_SECRET", "HUMAN_SITE_KEY", "HUMAN_SCRIPT"},
		{"PAYMENT_TO", "PAYMENT_FACILITATORS"},
	}
}

// LocalOnly reports whether a deployed process refuses to start with a setting.
func LocalOnly(name string) bool { return slices.Contains(localOnly, name) }

// settings returns the fields of Config that the environment sets.
func settings() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[Config]()), func(f reflect.StructField) bool { return f.Tag.Get("env") == "-" })
}

// Value returns a text setting of c by its name in the environment, and nothing
// for a name of no such setting.
func (c Config) Value(name string) string {
	v := reflect.ValueOf(c)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Tag.Get("env") == name && f.Type.Kind() == reflect.String {
			return v.FieldByIndex(f.Index).String()
		}
	}
	return ""
}

// Example returns the text of a file that lists every setting with its meaning,
// its default, and the processes that read it: usedBy returns a sentence about
// them for the name of a setting.
func Example(usedBy func(name string) string) string {
	var b strings.Builder
	b.WriteString("# Every setting of the service with its default, which applies to a setting that is not set.\n")
	for _, f := range settings() {
		name := f.Tag.Get("env")
		fmt.Fprintf(&b, "\n# %s\n# %s\n#%s=%s\n", f.Tag.Get("doc"), usedBy(name), name, f.Tag.Get("envDefault"))
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
