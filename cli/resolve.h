// resolve.h: which core and which executable is meant.
#pragma once

#include "cli/session.h"

// resolve_words reads the words behind the command: its argument (into
// s->o.address where that is one), then CORE, then EXE.
// Fails: HC_NONE, s->err.msg saying what is wrong with the call.
HC_MUST enum hc resolve_words(struct session *s);

// resolve_core sets *ret to the core's path: as given, else $HEAPCORE_CORE,
// else the newest one in the current directory. It says which it took.
// Fails: HC_NONE when there is none, the line being in s->err.
HC_MUST enum hc resolve_core(struct session *s, const char **ret);

// resolve_exe returns the executable as given, else $HEAPCORE_EXE, or NULL.
const char *resolve_exe(const struct session *s);

// resolve_tell_exe says which executable libcore found, or that it found none.
void resolve_tell_exe(const struct session *s);
