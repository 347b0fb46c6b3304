// elfbuf.h: a growing buffer that ELF structures are written to.
#pragma once

#include "libcore/base/bytes.h"

// struct elfbuf is the file so far. Owns: its memory, until elfbuf_free.
struct elfbuf {
	uint8_t *at;
	uint64_t len, cap;
	bool is64;
};

// struct elfbuf_head is what of the ELF header differs between files.
struct elfbuf_head {
	uint16_t type, machine, n_phdrs, n_shdrs, names;
	uint64_t entry, shoff;
};

struct elfbuf_phdr {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz, align;
};

struct elfbuf_shdr {
	uint32_t name, type, link, info;
	uint64_t flags, addr, off, len, entsize;
};

// elfbuf_put appends len bytes, zeros when bytes is NULL.
void elfbuf_put(struct elfbuf *b, const void *bytes, uint64_t len);
void elfbuf_u16(struct elfbuf *b, uint16_t v);
void elfbuf_u32(struct elfbuf *b, uint32_t v);
// elfbuf_word appends 8 bytes, or 4 in a 32-bit file.
void elfbuf_word(struct elfbuf *b, uint64_t v);
// elfbuf_pad appends zeros up to off.
void elfbuf_pad(struct elfbuf *b, uint64_t off);
// elfbuf_align appends zeros up to a multiple of align.
void elfbuf_align(struct elfbuf *b, uint64_t align);

void elfbuf_head(struct elfbuf *b, const struct elfbuf_head *h);
void elfbuf_phdr(struct elfbuf *b, const struct elfbuf_phdr *p);
void elfbuf_shdr(struct elfbuf *b, const struct elfbuf_shdr *s);
void elfbuf_note(struct elfbuf *b, const char *name, uint32_t type,
		 const void *desc, uint64_t len);

// elfbuf_head_len and elfbuf_phdr_len are the sizes of what these write.
uint64_t elfbuf_head_len(const struct elfbuf *b);
uint64_t elfbuf_phdr_len(const struct elfbuf *b);

void elfbuf_free(struct elfbuf *b);

// elfbuf_bytes is the file as it is.
static inline struct bytes elfbuf_bytes(const struct elfbuf *b)
{
	return (struct bytes){ b->at, b->len, 0 };
}

// elfbuf_path puts the bytes into a file of memory and returns its path, in a
// static array per call site's turn (8 of them).
const char *elfbuf_path(struct bytes b);
