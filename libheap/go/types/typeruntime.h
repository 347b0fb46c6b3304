// typeruntime.h: the records that the runtime's own lists lead to.
#pragma once

#include "libheap/go/types/typing.h"

// go_typing_runtime claims goroutines, what they wait with (sudogs, and by the
// channel's element type what these carry), their defers, objects with
// finalizers and finalizers that are due, each by what its record says.
// Source: runtime/runtime2.go g and sudog, chan.go hchan, mheap.go
//         specialfinalizer, mfinal.go finalizer (1.18–1.27).
void go_typing_runtime(struct go_typing *t);

// go_chan_element returns the element type that a channel's own record names,
// 0 when what is at the address is no channel.
go_typeid go_chan_element(const struct go_typing *t, taddr chan);
