// fetch.h: functions that ask for memory ahead of its use and do nothing else.
#pragma once

// FETCHER begins the definition of one. gcc (12 at least) takes such a function
// for one without effects and drops its calls, unless it is inlined before it
// looks for those. `make banned` counts the instructions.
#define FETCHER static inline __attribute__((always_inline)) void
