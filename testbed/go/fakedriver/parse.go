package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parser reads the value of one environment variable into the place that it was made for.
// The optional ones take the empty value as "not set", which is nil.
type parser func(value string) error

func text(place *string) parser {
	return func(value string) error {
		*place = value
		return nil
	}
}

func choice(place *string, allowed ...string) parser {
	return func(value string) error {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("must be one of %s", strings.Join(allowed, ", "))
		}
		*place = value
		return nil
	}
}

func integer(place *int) parser {
	return func(value string) (err error) {
		*place, err = strconv.Atoi(value)
		return err
	}
}

func flag(place *bool) parser {
	return func(value string) (err error) {
		*place, err = strconv.ParseBool(value)
		return err
	}
}

func span(place *time.Duration) parser {
	return func(value string) (err error) {
		*place, err = time.ParseDuration(value)
		return err
	}
}

func optionalInteger(place **int) parser {
	return optional(place, integer)
}

func optionalSpan(place **time.Duration) parser {
	return optional(place, span)
}

func optional[T any](place **T, parse func(*T) parser) parser {
	return func(value string) error {
		if value == "" {
			*place = nil
			return nil
		}
		*place = new(T)
		return parse(*place)(value)
	}
}

// Lists are JSON arrays: log lines and resource names may hold any separator.

func texts(place *[]string) parser {
	return func(value string) error { return json.Unmarshal([]byte(value), place) }
}

func integers(place *[]int64) parser {
	return func(value string) error { return json.Unmarshal([]byte(value), place) }
}
