#ifndef CEARSHOT_SCENARIO_H
#define CEARSHOT_SCENARIO_H

#include <stddef.h>

/// The article on the format of scenarios, in UTF-8, without a zero at its end.
const unsigned char *_Nonnull earshot_scenario_format(void);

/// The length of that article in bytes.
size_t earshot_scenario_format_bytes(void);

#endif
