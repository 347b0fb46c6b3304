# fixtures.mk: the cores of testdata, unpacked, and their stripped twins.
#
# One folder serves every build: the cores are the same for all of them.
FIXTURE_DIR = build/fixtures
tests: fixtures

fixtures: $(FIXTURE_DIR)/.done ## unpack the cores of testdata for the tests

$(FIXTURE_DIR)/.done: testdata/unpack.sh $(wildcard testdata/cores/*/*)
	$(call say,CORES)
	@mkdir -p $(@D)
	$(Q)testdata/unpack.sh $(abspath $(@D)) && touch $@

.PHONY: fixtures
