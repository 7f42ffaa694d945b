#include "CFuzzer.h"

// libFuzzer finds them by the name of the section.
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t fuzzer_counters[fuzzer_counters_max];
