# tables.mk: regenerates the layout tables from LAYOUTS, a list of folders:
# JSON layouts (1.27-amd64.json, refs-1.27-amd64.json), Go source trees or, for
# code references, unstripped executables, at least two of each version.
tables: ## regenerate libheap/go/tables (LAYOUTS='dir …', needs Go)
	$(Q)test -n '$(LAYOUTS)' || { echo 'LAYOUTS is not set: name a folder' \
		'of JSON layouts or Go source trees' >&2; exit 1; }
	$(Q)cd libheap/go/tables/gen && GOFLAGS= GOWORK=off go run . \
		-go $(CURDIR)/libheap/go -o $(CURDIR)/libheap/go/tables \
		$(abspath $(LAYOUTS))
.PHONY: tables
