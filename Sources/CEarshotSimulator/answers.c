#include "Original.h"

#include <stddef.h>

_Thread_local const void *earshot_system_context;
earshot_system_answers earshot_system;

void earshot_system_install(const earshot_system_answers *answers) { earshot_system = *answers; }

const void *earshot_system_answer(const void *context) {
  const void *before = earshot_system_context;
  earshot_system_context = context;
  return before;
}
