// types.h: what the types of objects are called, and which of them --type
// asks for.
#pragma once

#include "cli/session.h"

// struct types is a table of names, filled in as they are asked for.
// Owns: the session's pool.
struct types;

// types_open gives the objects their types and sets s->types.
// Fails: as heap_type; NOMEM.
HC_MUST enum hc types_open(struct session *s);

// types_try is types_open for answers in which types are one column among
// others: when there are none it says so and leaves s->types NULL.
// Fails: UNSUPPORTED when --type asks for what nobody can tell.
HC_MUST enum hc types_try(struct session *s);

// types_close lets go of what is not in a pool. A NULL is fine.
void types_close(struct types *types);

// types_count returns how many type numbers there are.
uint32_t types_count(const struct types *types);

// types_name and types_package return what type `number` is called and where
// it belongs; never NULL.
const char *types_name(struct session *s, uint32_t number);
const char *types_package(struct session *s, uint32_t number);

// types_wanted says whether --type lets a type through. Without s->types or
// --type it does.
bool types_wanted(struct session *s, uint32_t number);

// type_of_object returns the type of one object as it shows it ("[12]int").
// Owns: s->scratch, or longer.
const char *type_of_object(struct session *s, struct heap_ref ref);

// label_of returns what the word at an offset of an object is called (".next"),
// "" when nothing is known. Owns: s->scratch.
const char *label_of(struct session *s, struct heap_ref ref, uint64_t offset);
