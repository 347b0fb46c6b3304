# tests.mk: the programs that cli/tests/*.sh work with.
#
# json checks and reads JSON; mkcore writes a small core with hostile names;
# walk holds paths against memory, said all objects against what the program
# said; formats reads what dump writes, inside all that is packed in
# a file; units tests what is easier to ask in C.
CLI_TESTS = $(addprefix $(B)/cli/tests/,json mkcore said units walk \
	formats inside)
tests: $(CLI_TESTS)

$(B)/cli/tests/json: $(B)/cli/tests/json.o $(B)/cli/tests/json_read.o
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^

$(B)/cli/tests/mkcore: $(call obj,cli/tests/mkcore.c libcore/tests/corewriter.c \
		libcore/tests/elfbuf.c) $(ARCH)
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^ $(DEP_LIBS)

$(B)/cli/tests/units: $(call obj,cli/tests/units.c cli/escape.c cli/options.c \
		cli/nearest.c cli/out.c cli/sandbox.c cli/words.c) $(B)/libcore.a
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^ $(DEP_LIBS)

$(B)/cli/tests/walk: $(B)/cli/tests/walk.o $(B)/cli/tests/json_read.o \
		$(B)/libcore.a
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^ $(DEP_LIBS)

$(B)/cli/tests/said: $(call obj,cli/tests/said.c cli/tests/match.c \
		cli/tests/json_read.c $(filter-out cli/main.c,$(call src,cli))) \
		$(ARCH) $(DWARF_A)
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter-out $(DWARF_A),$^) $(ALL_LIBS)

$(B)/cli/tests/formats: $(call obj,cli/tests/formats.c \
		cli/tests/formats_moar.c cli/tests/formats_parquet.c \
		cli/tests/formats_pprof.c) $(B)/libcore.a
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^ $(DEP_LIBS)

$(B)/cli/tests/inside: $(B)/cli/tests/inside.o
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $^ $(DEP_LIBS)
