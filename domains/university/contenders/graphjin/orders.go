package main

import "github.com/dosco/graphjin/core/v3"

// orders are the ways to sort that a query can name in a variable, as QT8 and QT9 do: GraphJin takes
// the names of columns only from its configuration.
func orders() []core.Table {
	students := map[string][]string{}
	for _, one := range studentFields {
		for _, other := range studentFields {
			if one != other {
				students[one+"_"+other] = ascending(one, other)
			}
		}
	}
	publications := map[string][]string{
		"title":    {"title desc", "nr asc"},
		"abstract": {"abstract desc", "nr asc"},
	}
	return []core.Table{
		{Name: "graduatestudent", OrderBy: students},
		{Name: "publication", OrderBy: publications},
	}
}

var studentFields = []string{"nr", "telephone", "emailaddress", "memberof", "undergraduatedegreefrom", "advisor"}

// ascending ends with the number, which decides where all else is equal.
func ascending(columns ...string) []string {
	sorted := []string{}
	for _, column := range columns {
		sorted = append(sorted, column+" asc")
		if column == "nr" {
			return sorted
		}
	}
	return append(sorted, "nr asc")
}
