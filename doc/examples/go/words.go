// Finds the longest word. With umlauts it finds the wrong one: find out where.
package main

import (
	"fmt"
	"strings"
)

func longest(text string) string {
	found := ""
	for _, word := range strings.Fields(text) {
		if length := len(word); length > len(found) {
			found = word
		}
	}
	return found
}

func main() {
	text := "Öööö reads quite well"
	fmt.Println("longest:", longest(text))
}
