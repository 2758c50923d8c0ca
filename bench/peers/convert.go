package peers

import (
	"fmt"
	"reflect"
	"strings"
)

// convert copies the struct that src points to into the one that dst points to, a
// struct of package data into its protobuf message or the other way round. Fields
// correspond by name; a nested struct may be a pointer, a row of a matrix a struct of
// one list, and integers may have other widths.
func convert(dst, src any) error {
	return convertStruct(reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem())
}

func convertStruct(dst, src reflect.Value) error {
	done := 0
	for i := range src.NumField() {
		f := src.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		to := dst.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, f.Name) })
		if !to.IsValid() {
			return fmt.Errorf("%v has no field for %v.%s", dst.Type(), src.Type(), f.Name)
		}
		if err := convertValue(to, src.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		done++
	}
	if want := exported(dst.Type()); done != want {
		return fmt.Errorf("%v has %d fields, %v has %d", src.Type(), done, dst.Type(), want)
	}
	return nil
}

func exported(t reflect.Type) int {
	n := 0
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			n++
		}
	}
	return n
}

func convertValue(dst, src reflect.Value) error {
	switch {
	case src.Kind() == reflect.Pointer && dst.Kind() == reflect.Struct:
		if src.IsNil() {
			return nil
		}
		return convertStruct(dst, src.Elem())
	case src.Kind() == reflect.Pointer && dst.Kind() == reflect.Slice:
		return convertValue(dst, src.Elem().FieldByName("Values"))
	case src.Kind() == reflect.Slice && dst.Kind() == reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return convertValue(dst.Elem().FieldByName("Values"), src)
	case dst.Kind() == reflect.Pointer && src.Kind() == reflect.Struct:
		if src.IsZero() {
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return convertStruct(dst.Elem(), src)
	case dst.Kind() == reflect.Pointer:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return convertValue(dst.Elem(), src.Elem())
	case dst.Kind() == reflect.Struct:
		return convertStruct(dst, src)
	case dst.Kind() == reflect.Slice:
		if src.IsNil() {
			return nil
		}
		dst.Set(reflect.MakeSlice(dst.Type(), src.Len(), src.Len()))
		for i := range src.Len() {
			if err := convertValue(dst.Index(i), src.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case src.CanConvert(dst.Type()):
		dst.Set(src.Convert(dst.Type()))
		return nil
	}
	return fmt.Errorf("cannot convert %v to %v", src.Type(), dst.Type())
}
