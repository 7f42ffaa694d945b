// What of libFuzzer is no function that Swift can see: its driver, and the counters that a program has of its own.
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs a body for one input after the other; ends when the options say so.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*body)(const uint8_t *data, size_t size));

enum { fuzzer_counters_max = 4096 };

/// Counters that are 0 before each input; an input with a new one of them, or with another order of magnitude, is kept.
extern uint8_t fuzzer_counters[fuzzer_counters_max];

/// Adds 1 to a counter that is not full, of those that a number falls on.
static inline void fuzzer_count(uint64_t number) {
  uint8_t *counter = &fuzzer_counters[number % fuzzer_counters_max];
  if (*counter < UINT8_MAX) ++*counter;
}

#endif
