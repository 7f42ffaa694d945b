#include "CEarshotScenario.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// SwiftPM embeds a resource as an array literal, for which the Swift compiler takes ten seconds.
static const unsigned char article[] = {
#embed "../EarshotScenario/EarshotScenario.docc/ScenarioFormat.md"
};

const unsigned char *earshot_scenario_format(void) { return article; }

size_t earshot_scenario_format_bytes(void) { return sizeof article; }
