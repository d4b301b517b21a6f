package store

import "github.com/vektah/gqlparser/v2/gqlerror"

type CollectionOfEdgesToUgStudents struct{ Aggregate AggregateUgStudents }

// AggregateUgStudents is what can be said of students together.
type AggregateUgStudents struct{ Students []*GraduateStudent }

type AgeAggregationOfUgStudents struct{ Sum, Avg, Max, Min float64 }

func (aggregate AggregateUgStudents) Count() int { return len(aggregate.Students) }

// Age is an error where no student has one.
func (aggregate AggregateUgStudents) Age() (*AgeAggregationOfUgStudents, error) {
	var ages []float64
	for _, student := range aggregate.Students {
		if student.Age != nil {
			ages = append(ages, float64(*student.Age))
		}
	}
	if len(ages) == 0 {
		return nil, &gqlerror.Error{
			Message:    "there are no students whose ages could be aggregated",
			Extensions: map[string]any{"code": "NOT_FOUND"},
		}
	}
	result := AgeAggregationOfUgStudents{Max: ages[0], Min: ages[0]}
	for _, age := range ages {
		result.Sum += age
		result.Max = max(result.Max, age)
		result.Min = min(result.Min, age)
	}
	result.Avg = result.Sum / float64(len(ages))
	return &result, nil
}
