package shop

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"
)

var (
	picture = regexp.MustCompile(`^https://\S+$`)
	mailbox = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	country = regexp.MustCompile(`^[A-Z]{2}$`)
	card    = regexp.MustCompile(`^[0-9]{12,19}$`)

	checks = newChecks()
)

func newChecks() *validator.Validate {
	checks := validator.New(validator.WithRequiredStructEnabled())
	register := func(name string, right func(field validator.FieldLevel) bool) {
		if err := checks.RegisterValidation(name, right); err != nil {
			panic(err)
		}
	}
	register("text", func(field validator.FieldLevel) bool {
		most, err := strconv.Atoi(field.Param())
		return err == nil && isText(field.Field().String(), most)
	})
	for name, pattern := range map[string]*regexp.Regexp{"picture": picture, "mailbox": mailbox, "country": country, "card": card} {
		register(name, func(field validator.FieldLevel) bool {
			value := field.Field().String()
			return isText(value, 200) && pattern.MatchString(value)
		})
	}
	return checks
}

// isText tells whether a text has something in it, no control characters, and is not too long.
func isText(text string, most int) bool {
	count := utf8.RuneCountInString(text)
	return 1 <= count && count <= most && utf8.ValidString(text) && strings.IndexFunc(text, unicode.IsControl) < 0
}

// check refuses a value with everything that is wrong with it.
func check(value any) error {
	var wrong validator.ValidationErrors
	if err := checks.Struct(value); !errors.As(err, &wrong) {
		return err
	}
	problems := make([]string, len(wrong))
	for i, problem := range wrong {
		problems[i] = fmt.Sprintf("%s must be %s %s", problem.Field(), problem.Tag(), problem.Param())
	}
	return Refuse(Invalid, "%s", strings.Join(problems, "; "))
}
