// stackmap.h: which words of a frame are live pointers.
#pragma once

#include "libheap/go/stacks/unwind.h"

// struct go_frame_maps is what the tables say of one frame.
// Shape: locals_missing and args_missing say that there are such words but no
//        map of them; bad, that the tables contradict themselves.
struct go_frame_maps {
	struct go_maps maps;
	bool locals_missing, args_missing, bad;
	bool reg_args; // an abi.RegArgs ends at varp, as a stack object
};

// go_maps_of fills *ret for the frame that u stands at, which can go on.
// Source: runtime/stkframe.go, getStackMap (1.21–1.27); stack.go, getStackMap
//         (1.18–1.20).
void go_maps_of(const struct go_process *process, const struct go_unwind *u,
		struct go_frame_maps *ret);
