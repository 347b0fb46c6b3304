# heapcore: run `make help` for the targets.
.SUFFIXES:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
PKG_CONFIG ?= pkg-config
INSTALL ?= install
ifeq ($(origin CC),default)
CC = gcc
endif

CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wvla \
       -Wmissing-prototypes -Wimplicit-fallthrough -Wformat=2 \
       -Wwrite-strings -Wundef $(if $(WERROR),-Werror)
comma := ,
san = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
# Counters are written to files at the end, which the sandbox would refuse.
cov = $(if $(COV),--coverage -DHEAPCORE_NO_SANDBOX)

# One tree per compiler and sanitizer set, so no two builds ever mix.
B = build/$(notdir $(CC))$(if $(SAN),-$(subst $(comma),+,$(SAN)))$(if \
	$(COV),-coverage)

# libdwarf is linked statically, from the private folder that bootstrap fills
# on Debian 12, else from the system; DWARF_A and DWARF_INC name another one.
# Its .pc file is of no use: Debian's names a folder that does not exist.
private := $(wildcard third_party/libdwarf/usr/lib/*/libdwarf.a)
DWARF_A ?= $(or $(firstword $(private)),$(shell $(CC) \
	-print-file-name=libdwarf.a))
DWARF_INC ?= $(if $(private),third_party/libdwarf,)/usr/include/libdwarf

PKGS = libelf libzstd zlib liblzma liblz4
DEP_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
DEP_LIBS := $(or $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null),\
	-lelf -lzstd -lz -llzma -llz4)
CHECK_LIBS = $(or $(shell $(PKG_CONFIG) --libs check 2>/dev/null),-lcheck)

ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -I. -isystem $(DWARF_INC) $(DEP_CFLAGS) \
	-MMD -MP -pthread $(WARN) $(san) $(cov) $(CFLAGS)
LINK = $(CC) -pthread $(san) $(cov) $(CFLAGS) $(LDFLAGS)
ALL_LIBS = $(DWARF_A) $(DEP_LIBS) -lm

# A library is every .c file below its folder, less what only checks it.
LIBS = libheap libdwarfread libcore
src = $(sort $(shell find $(1) -name '*.c' ! -path '*/tests/*' \
	! -path '*/fuzz/*' ! -path '*/bench/*' ! -path '*/gen/*' 2>/dev/null))
obj = $(patsubst %.c,$(B)/%.o,$(1))
ARCH = $(LIBS:%=$(B)/%.a)
SUITES = $(patsubst %/tests/main.c,%,$(wildcard lib*/tests/main.c \
	lib*/*/tests/main.c))
FUZZ = $(wildcard lib*/fuzz/fuzz_*.c lib*/*/fuzz/fuzz_*.c cli/fuzz/fuzz_*.c)
FUZZ_NAMES = $(notdir $(basename $(FUZZ)))

Q = $(if $(V),,@)
say = @$(if $(V),:,printf '  %-5s %s\n' $(1) $@)

all: $(ARCH) $(if $(wildcard cli/main.c),$(B)/heapcore) ## build the heapcore program (the default)

$(B)/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

define lib
$(B)/$(1).a: $(call obj,$(call src,$(1)))
	$$(call say,AR)
	@mkdir -p $$(@D)
	$(Q)rm -f $$@ && $(AR) qcs $$@ $$^
endef
$(foreach l,$(LIBS),$(eval $(call lib,$(l))))

$(B)/heapcore: $(call obj,$(call src,cli)) $(ARCH) $(DWARF_A)
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter-out $(DWARF_A),$^) $(ALL_LIBS)

define suite
$(B)/$(1)/tests/run: $(call obj,$(wildcard $(1)/tests/*.c)) $(ARCH) $(DWARF_A)
	$$(call say,LINK)
	$(Q)$(LINK) -o $$@ $$(filter-out $(DWARF_A),$$^) $(ALL_LIBS) $(CHECK_LIBS)
endef
$(foreach s,$(SUITES),$(eval $(call suite,$(s))))

libdwarf.a $(filter third_party/%,$(DWARF_A)):
	@echo 'No libdwarf.a (0.11.1 or newer) here: run ./bootstrap deps, or' \
		'name one with DWARF_A=... DWARF_INC=...' >&2; exit 1

# What the fuzz targets of one folder share: those of the Go reader and of the
# program damage real cores, the program's are all of it but its main.
FUZZ_GO = libheap/go/fuzz/mutant.c libheap/go/fuzz/places.c
FUZZ_CLI = $(FUZZ_GO) cli/fuzz/program.c $(filter-out cli/main.c,$(call \
	src,cli))
fuzz_parts = $(call obj,$(1) $(if $(filter libheap/go/%,$(1)),$(FUZZ_GO)) \
	$(if $(filter cli/%,$(1)),$(FUZZ_CLI)))

# Every input that ever broke something, through its fuzz target, with any
# compiler.
define replay
$(B)/replay/$(notdir $(basename $(1))): $(call fuzz_parts,$(1)) \
		$(call obj,libcore/fuzz/replay.c) $(ARCH) $(DWARF_A)
	$$(call say,LINK)
	@mkdir -p $$(@D)
	$(Q)$(LINK) -o $$@ $$(filter-out $(DWARF_A),$$^) $(ALL_LIBS)
endef
$(foreach f,$(FUZZ),$(eval $(call replay,$(f))))

# The same damage to real cores, by the thousand.
$(B)/cli/fuzz/soak: $(call obj,cli/fuzz/soak.c $(FUZZ_CLI)) $(ARCH) $(DWARF_A)
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter-out $(DWARF_A),$^) $(ALL_LIBS)

# Programs that measure one part; `make bench` runs them.
BENCHES = $(patsubst %.c,$(B)/%,$(wildcard lib*/bench/bench_*.c))
$(B)/libdwarfread/bench/bench_index: $(B)/libdwarfread/tests/elfsections.o
$(BENCHES): $(B)/%: $(B)/%.o $(ARCH) $(DWARF_A)
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter-out $(DWARF_A),$^) $(ALL_LIBS)

TESTS = $(SUITES:%=$(B)/%/tests/run) $(FUZZ_NAMES:%=$(B)/replay/%) \
	$(B)/cli/fuzz/soak
tests: all $(TESTS) ## build the tests

check: ## build with -Werror and run every test
	$(Q)$(MAKE) --no-print-directory WERROR=1 tests
	$(Q).ci/tests $(B)

layers: ## fail if a folder includes what it may not
	$(Q).ci/layers

size: ## fail on a file over 400 lines or a function over 60
	$(Q).ci/size

banned: $(ARCH) ## fail if a library prints, exits, allocates, keeps globals
	$(Q).ci/banned $(ARCH)
	$(Q).ci/fetches $(B)

# DWARF_OF=FILE times the index of another executable: those of testdata are
# small.
DWARF_OF ?= build/fixtures/1.26-amd64/exe
bench: all fixtures $(BENCHES) ## measure against the floor, as ratios
	$(Q)for shape in tree random list; do $(B)/libheap/bench/bench_mark $$shape; done
	$(Q)$(B)/libdwarfread/bench/bench_index $(DWARF_OF)
	$(Q)BUILD=$(B) libheap/bench/run

count: all ## count instructions for an object (needs go and valgrind)
	$(Q)BUILD=$(B) libheap/bench/count

FUZZ_SECONDS ?= 60
fuzz: ## run each libFuzzer target for FUZZ_SECONDS (needs clang)
	$(Q)$(MAKE) --no-print-directory CC=clang \
		SAN=fuzzer-no-link,address,undefined fuzz-targets
	$(Q).ci/fuzz build/clang-fuzzer-no-link+address+undefined $(FUZZ_SECONDS)

fuzz-targets: $(FUZZ_NAMES:%=$(B)/fuzz/%)
define fuzzer
$(B)/fuzz/$(notdir $(basename $(1))): $(call fuzz_parts,$(1)) $(ARCH) \
		$(DWARF_A)
	$$(call say,LINK)
	@mkdir -p $$(@D)
	$(Q)$(subst fuzzer-no-link,fuzzer,$(LINK)) -o $$@ \
		$$(filter-out $(DWARF_A),$$^) $(ALL_LIBS)
endef
$(foreach f,$(FUZZ),$(eval $(call fuzzer,$(f))))

lint: ## shellcheck, man page lint, clang's static analyzer
	$(Q).ci/lint '$(ALL_CFLAGS)'

coverage: ## run the tests with gcov and print the share of lines run
	$(Q)$(MAKE) --no-print-directory COV=1 CFLAGS='-O0 -g' check
	$(Q).ci/coverage build/$(notdir $(CC))-coverage

SOAK_MUTATED ?= 20000
SOAK_CUT ?= 100
soak: fixtures ## SOAK_MUTATED damaged and 3 x SOAK_CUT cut cores, sanitizers
	$(Q)$(MAKE) --no-print-directory SAN=address,undefined \
		build/$(notdir $(CC))-address+undefined/cli/fuzz/soak
	$(Q).ci/soak build/$(notdir $(CC))-address+undefined $(SOAK_MUTATED) \
		$(SOAK_CUT)

readers: all ## have programs of others read each format (uses the network)
	$(Q).ci/readers $(B)

install: $(B)/heapcore ## install under DESTDIR and PREFIX
	$(INSTALL) -D -m 755 $< $(DESTDIR)$(BINDIR)/heapcore
	$(INSTALL) -D -m 644 cli/man/heapcore.1 \
		$(DESTDIR)$(MANDIR)/man1/heapcore.1
	$(INSTALL) -D -m 644 cli/completions/heapcore.bash \
		$(DESTDIR)$(BASHCOMPDIR)/heapcore
	$(INSTALL) -D -m 644 cli/completions/_heapcore \
		$(DESTDIR)$(ZSHCOMPDIR)/_heapcore
	$(INSTALL) -D -m 644 cli/completions/heapcore.fish \
		$(DESTDIR)$(FISHCOMPDIR)/heapcore.fish

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(BINDIR)/heapcore \
		$(DESTDIR)$(MANDIR)/man1/heapcore.1 \
		$(DESTDIR)$(BASHCOMPDIR)/heapcore \
		$(DESTDIR)$(ZSHCOMPDIR)/_heapcore \
		$(DESTDIR)$(FISHCOMPDIR)/heapcore.fish

# Rules that belong to one folder lie in it.
RULES = $(sort $(wildcard lib*/*.mk lib*/*/*.mk lib*/*/*/*.mk testdata/*.mk \
	cli/tests/*.mk))
include $(RULES)

clean: ## remove everything that was built
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1 \2/p' Makefile $(RULES) | \
		while read -r t d; do printf '  %-10s %s\n' "$$t" "$$d"; done
	@echo '  settings: CC, SAN=address,undefined, WERROR=1, V=1, PREFIX,' \
		'DESTDIR, DWARF_A, DWARF_INC'

.PHONY: all tests check layers size banned bench fuzz fuzz-targets lint \
	coverage soak count readers install uninstall clean help
-include $(shell find $(B) -name '*.d' 2>/dev/null)
