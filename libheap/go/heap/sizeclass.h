// sizeclass.h: the sizes that the Go allocator rounds objects up to.
#pragma once

#include <stdint.h>

// go_size_class returns the slot size for an object of size bytes: a size
// class, or for large objects whole pages.
// Source: runtime/sizeclasses.go (1.18–1.24), internal/runtime/gc/
//         sizeclasses.go (1.25–1.27): the same 67 classes in all.
uint64_t go_size_class(uint64_t size);

// go_class_slot returns the slot size of a size class (1 to 67), 0 when there
// is no such class; go_class_pages how many pages a span of it has.
// Source: as above, class_to_size and class_to_allocnpages.
uint64_t go_class_slot(unsigned sizeclass);
uint32_t go_class_pages(unsigned sizeclass);
