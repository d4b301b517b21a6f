package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"wirelab.example/university/store"
)

// parseNumber gives the number that an ID stands for, and false where no row can have it.
func parseNumber(id string) (int32, bool) {
	number, err := strconv.ParseUint(id, 10, 31)
	return int32(number), err == nil
}

// matchesText holds where a criterion or pattern is missing: then nothing is asked.
func matchesText(text *string, criterion *StringCriterion, pattern *string) bool {
	if criterion == nil || pattern == nil {
		return true
	}
	if text == nil {
		return false
	}
	switch *criterion {
	case StringCriterionContains:
		return strings.Contains(*text, *pattern)
	case StringCriterionStartWith:
		return strings.HasPrefix(*text, *pattern)
	case StringCriterionEndWith:
		return strings.HasSuffix(*text, *pattern)
	default:
		return *text == *pattern
	}
}

func matchesNumber(number *int32, matching *NumberMatching) bool {
	if matching.Criterion == nil || matching.Pattern == nil {
		return true
	}
	if number == nil {
		return false
	}
	value, pattern := int(*number), *matching.Pattern
	switch *matching.Criterion {
	case NumberCriterionMorethan:
		return value > pattern
	case NumberCriterionLessthan:
		return value < pattern
	default:
		return value == pattern
	}
}

// refersTo holds where no id is asked for.
func refersTo(number *int32, id *string) bool {
	if id == nil {
		return true
	}
	wanted, ok := parseNumber(*id)
	return ok && number != nil && *number == wanted
}

// asksForInterest tells whether only the advisors' own rows can answer.
func asksForInterest(where *GraduateStudentWhereInput) bool {
	return where.Advisor != nil && where.Advisor.ResearchInterest != nil || slices.ContainsFunc(where.And, asksForInterest)
}

// filterStudents keeps those of whom all that is given holds. The advisors need not be there when
// nothing asks for their interests.
func filterStudents(students []*store.GraduateStudent, where *GraduateStudentWhereInput, advisors []*store.Advisor) []*store.GraduateStudent {
	interests := make(map[int32]*string, len(advisors))
	for _, advisor := range advisors {
		interests[advisor.Nr] = advisor.ResearchInterest
	}
	kept := []*store.GraduateStudent{}
	for _, student := range students {
		if holds(student, where, interests) {
			kept = append(kept, student)
		}
	}
	return kept
}

func holds(student *store.GraduateStudent, where *GraduateStudentWhereInput, interests map[int32]*string) bool {
	if where.University != nil && !refersTo(student.BachelorNr, where.University.Nr) {
		return false
	}
	if where.Age != nil && !matchesNumber(student.Age, where.Age) {
		return false
	}
	if advisor := where.Advisor; advisor != nil {
		if !refersTo(student.AdvisorNr, advisor.Nr) {
			return false
		}
		if matching := advisor.ResearchInterest; matching != nil {
			var interest *string
			if student.AdvisorNr != nil {
				interest = interests[*student.AdvisorNr]
			}
			if !matchesText(interest, matching.Criterion, matching.Pattern) {
				return false
			}
		}
	}
	for _, each := range where.And {
		if !holds(student, each, interests) {
			return false
		}
	}
	return true
}

// sortStudents sorts by each field in turn; what is equal in all stays in the order of the numbers.
func sortStudents(students []*store.GraduateStudent, fields []*GraduateStudentField) []*store.GraduateStudent {
	sorted := slices.Clone(students)
	slices.SortStableFunc(sorted, func(one, other *store.GraduateStudent) int {
		for _, field := range fields {
			if field == nil {
				continue
			}
			if order := compareBy(*field, one, other); order != 0 {
				return order
			}
		}
		return 0
	})
	return sorted
}

func compareBy(field GraduateStudentField, one, other *store.GraduateStudent) int {
	switch field {
	case GraduateStudentFieldTelephone:
		return compare(one.Telephone, other.Telephone)
	case GraduateStudentFieldEmailAddress:
		return compare(one.EmailAddress, other.EmailAddress)
	case GraduateStudentFieldMemberOf:
		return compare(one.DepartmentNr, other.DepartmentNr)
	case GraduateStudentFieldUndergraduateDegreeFrom:
		return compare(one.BachelorNr, other.BachelorNr)
	case GraduateStudentFieldAdvisor:
		return compare(one.AdvisorNr, other.AdvisorNr)
	default:
		return cmp.Compare(one.Nr, other.Nr)
	}
}

// compare puts what is not there last, as PostgreSQL does.
func compare[Value cmp.Ordered](one, other *Value) int {
	switch {
	case one == nil && other == nil:
		return 0
	case one == nil:
		return 1
	case other == nil:
		return -1
	}
	return cmp.Compare(*one, *other)
}

func sortPublications(publications []*store.Publication, order *PublicationSortCriterion) []*store.Publication {
	if order == nil || order.Field == nil {
		return publications
	}
	sign := 1
	if order.Direction != nil && *order.Direction == SortDirectionDesc {
		sign = -1
	}
	sorted := slices.Clone(publications)
	slices.SortStableFunc(sorted, func(one, other *store.Publication) int {
		return sign * compare(textOf(one, *order.Field), textOf(other, *order.Field))
	})
	return sorted
}

func textOf(publication *store.Publication, field PublicationField) *string {
	if field == PublicationFieldAbstract {
		return publication.Abstract
	}
	return publication.Title
}

// paged takes a page; zero and nothing mean all.
func paged[Row any](rows []Row, limit, offset *int) ([]Row, error) {
	for name, value := range map[string]*int{"limit": limit, "offset": offset} {
		if value != nil && *value < 0 {
			return nil, &gqlerror.Error{
				Message:    fmt.Sprintf("%s must not be negative, but is %d", name, *value),
				Extensions: map[string]any{"code": "BAD_USER_INPUT"},
			}
		}
	}
	if offset != nil {
		rows = rows[min(*offset, len(rows)):]
	}
	if limit != nil && *limit > 0 {
		rows = rows[:min(*limit, len(rows))]
	}
	return rows, nil
}
