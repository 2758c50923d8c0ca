module github.com/sofab-go/sofab

go 1.24

require (
	github.com/google/go-cmp v0.7.0
	github.com/modern-go/reflect2 v1.0.2
)
