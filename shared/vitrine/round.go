package vitrine

import "reflect"

// Rounded returns p with every number rounded to two significant digits, so that no
// small number reveals what somebody did. How many days a window has is exact.
func (p Public) Rounded() Public {
	return roundIn(reflect.ValueOf(p)).Interface().(Public)
}

// roundIn returns a copy of v, whose Numbers are rounded wherever they are in it.
func roundIn(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		to := reflect.New(v.Type().Elem())
		if n, ok := v.Interface().(Number); ok {
			to.Elem().SetInt(round(*n))
		} else {
			to.Elem().Set(roundIn(v.Elem()))
		}
		out.Set(to)
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(roundIn(v.Field(i)))
		}
	case reflect.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(roundIn(v.Index(i)))
		}
	}
	return out
}

// round returns a number that is not negative with two significant digits, the rest
// of them zero. What is halfway is rounded up.
func round(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	if rest := n % unit; rest*2 >= unit && unit > 1 {
		n += unit
	}
	return n - n%unit
}
