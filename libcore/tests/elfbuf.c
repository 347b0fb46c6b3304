// elfbuf.c: see elfbuf.h.
#include "libcore/tests/elfbuf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void elfbuf_put(struct elfbuf *b, const void *bytes, uint64_t len)
{
	if (len > b->cap - b->len) {
		b->cap = (b->len + len) * 2;
		b->at = realloc(b->at, b->cap);
		if (!b->at)
			abort();
	}
	if (bytes && len)
		memcpy(b->at + b->len, bytes, len);
	else if (len)
		memset(b->at + b->len, 0, len);
	b->len += len;
}

void elfbuf_u16(struct elfbuf *b, uint16_t v)
{
	elfbuf_put(b, &v, sizeof(v));
}

void elfbuf_u32(struct elfbuf *b, uint32_t v)
{
	elfbuf_put(b, &v, sizeof(v));
}

void elfbuf_word(struct elfbuf *b, uint64_t v)
{
	elfbuf_put(b, &v, b->is64 ? 8 : 4);
}

void elfbuf_pad(struct elfbuf *b, uint64_t off)
{
	if (off > b->len)
		elfbuf_put(b, NULL, off - b->len);
}

void elfbuf_align(struct elfbuf *b, uint64_t align)
{
	elfbuf_pad(b, (b->len + align - 1) / align * align);
}

uint64_t elfbuf_head_len(const struct elfbuf *b)
{
	return b->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

uint64_t elfbuf_phdr_len(const struct elfbuf *b)
{
	return b->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

void elfbuf_head(struct elfbuf *b, const struct elfbuf_head *h)
{
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F' };
	ident[EI_CLASS] = b->is64 ? ELFCLASS64 : ELFCLASS32;
	ident[EI_DATA] = ELFDATA2LSB;
	ident[EI_VERSION] = EV_CURRENT;
	elfbuf_put(b, ident, sizeof(ident));
	elfbuf_u16(b, h->type);
	elfbuf_u16(b, h->machine);
	elfbuf_u32(b, EV_CURRENT);
	elfbuf_word(b, h->entry);
	elfbuf_word(b, elfbuf_head_len(b)); // phoff
	elfbuf_word(b, h->shoff);
	elfbuf_u32(b, 0);
	elfbuf_u16(b, (uint16_t)elfbuf_head_len(b));
	elfbuf_u16(b, (uint16_t)elfbuf_phdr_len(b));
	elfbuf_u16(b, h->n_phdrs);
	elfbuf_u16(b, b->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	elfbuf_u16(b, h->n_shdrs);
	elfbuf_u16(b, h->names);
}

void elfbuf_phdr(struct elfbuf *b, const struct elfbuf_phdr *p)
{
	elfbuf_u32(b, p->type);
	if (b->is64)
		elfbuf_u32(b, p->flags);
	elfbuf_word(b, p->off);
	elfbuf_word(b, p->vaddr);
	elfbuf_word(b, 0);
	elfbuf_word(b, p->filesz);
	elfbuf_word(b, p->memsz);
	if (!b->is64)
		elfbuf_u32(b, p->flags);
	elfbuf_word(b, p->align);
}

void elfbuf_shdr(struct elfbuf *b, const struct elfbuf_shdr *s)
{
	elfbuf_u32(b, s->name);
	elfbuf_u32(b, s->type);
	elfbuf_word(b, s->flags);
	elfbuf_word(b, s->addr);
	elfbuf_word(b, s->off);
	elfbuf_word(b, s->len);
	elfbuf_u32(b, s->link);
	elfbuf_u32(b, s->info);
	elfbuf_word(b, 1);
	elfbuf_word(b, s->entsize);
}

void elfbuf_note(struct elfbuf *b, const char *name, uint32_t type,
		 const void *desc, uint64_t len)
{
	elfbuf_u32(b, (uint32_t)strlen(name) + 1);
	elfbuf_u32(b, (uint32_t)len);
	elfbuf_u32(b, type);
	elfbuf_put(b, name, strlen(name) + 1);
	elfbuf_align(b, 4);
	elfbuf_put(b, desc, len);
	elfbuf_align(b, 4);
}

void elfbuf_free(struct elfbuf *b)
{
	free(b->at);
	*b = (struct elfbuf){ 0 };
}

const char *elfbuf_path(struct bytes b)
{
	static char paths[8][64];
	static unsigned turn;
	char *path = paths[turn++ % 8];
	int fd = memfd_create("elf", 0);
	if (fd < 0 || write(fd, b.at, b.len) != (ssize_t)b.len)
		abort();
	snprintf(path, sizeof(paths[0]), "/proc/self/fd/%d", fd);
	return path;
}
