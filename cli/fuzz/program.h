// program.h: the whole program, asked in this process about a mutant.
#pragma once

#include <stddef.h>
#include <stdint.h>

// heapcore_main is the program's main.
int heapcore_main(int argc, char **argv);

// An input is {which mutant, which command, edits…}; with PROGRAM_CUT in the
// command, two bytes before the edits say how much of the core there is, in
// 65,536ths.
enum { PROGRAM_CUT = 0x80 };

// program_commands returns how many commands there are to ask.
unsigned program_commands(void);

// program_command returns the name of number i.
const char *program_command(unsigned i);

// program_ask asks what the input says and returns the exit status, 0 without
// fixtures. Output goes to standard output.
int program_ask(const uint8_t *data, size_t size);
