// desk.c: what the tests of this library share.
#include "libdwarfread/tests/ck.h"

void desk_open(struct desk *desk)
{
	*desk = (struct desk){ 0 };
	ck_answers(pool_open(UINT64_C(1) << 32, &desk->pool, &desk->err),
		   &desk->err);
	writer_init(&desk->w, &desk->pool);
}

void desk_read(struct desk *desk)
{
	struct dwarf_sections in = writer_sections(&desk->w);
	ck_answers(dwarf_open(&in, &desk->pool, &desk->d, &desk->err),
		   &desk->err);
}

void desk_close(struct desk *desk)
{
	dwarf_close(desk->d);
	pool_close(&desk->pool);
}
