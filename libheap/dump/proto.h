// proto.h: profile.proto packed with gzip, as `go tool pprof` reads it: the one
// place that knows its fields.
//
// Source: google/pprof, proto/profile.proto, as vendored in Go 1.24. Fields may
// come in any order, so strings come last and everything else goes out at once.
#pragma once

#include "libheap/dump/strings.h"
#include "libheap/dump/wire.h"

#include "libcore/base/codec.h"

// struct proto_part is a piece of a message being put together.
struct proto_part {
	VEC(uint8_t);
};

// struct proto is one profile on its way out.
// Shape: all names are numbers of strings; of what is in parts a sample or a
//        location is made. failed: out of memory, and kept.
struct proto {
	struct pool *pool;
	struct wire *w; // which goes to gzip
	struct packer gzip;
	struct strings *strings;
	struct proto_part locations, values, labels, lines, whole;
	bool failed;
};

// struct proto_map is the text of the executable, mapping 1 of every profile.
// Shape: low is high when it is not known where it was mapped. build_id is
//        the GNU one in hexadecimal, "" when there is none.
struct proto_map {
	taddr low, high;
	uint64_t offset;
	const char *file, *build_id;
};

// proto_open begins a profile. strings are the caller's, who may have put some
// in. Owns: p must stay where it is; proto_close lets go of it.
// Fails: NOMEM; as the sink.
HC_MUST enum hc proto_open(struct proto *p, struct strings *strings,
			   const struct dump_sink *sink, struct pool *pool,
			   struct hc_err *err);

// proto_sample_type says what the next value of all samples is; proto_period
// between how many of what samples were taken; proto_default_type which type
// is shown first; proto_comment is for people.
void proto_sample_type(struct proto *p, const char *type, const char *unit);
void proto_period(struct proto *p, const char *type, const char *unit,
		  uint64_t period);
void proto_default_type(struct proto *p, const char *type);
void proto_comment(struct proto *p, const char *text);

// proto_sample writes a sample of one value a type: its stack are the
// locations given to proto_at since the one before, innermost first; its
// labels those of proto_label, which have a text or a number.
void proto_at(struct proto *p, uint64_t location);
void proto_label(struct proto *p, uint64_t key, uint64_t text,
		 uint64_t number);
void proto_sample(struct proto *p, const uint64_t *values, unsigned n);

// proto_location writes a location: its lines are those given to proto_line
// since the one before, inlined calls first.
void proto_line(struct proto *p, uint64_t function, uint64_t line);
void proto_location(struct proto *p, uint64_t id, bool mapped, taddr address);

// proto_function writes a function. system is its name as a symbol: the same
// name for one of Go, as the runtime has it; 0 for what is no function, or
// pprof takes brackets for C++ and cuts "[]T (backing)" to "[]T".
void proto_function(struct proto *p, uint64_t id, uint64_t name,
		    uint64_t system, uint64_t file);

// proto_map_of finds the executable's text. Owns: pool. Fails: NOMEM.
HC_MUST enum hc proto_map_of(const struct core *core, struct pool *pool,
			     struct proto_map *ret, struct hc_err *err);
void proto_mapping(struct proto *p, const struct proto_map *map);

// proto_close writes the strings and ends the profile.
// Fails: NOMEM; as the sink; with the first failure there was.
HC_MUST enum hc proto_close(struct proto *p, struct hc_err *err);
