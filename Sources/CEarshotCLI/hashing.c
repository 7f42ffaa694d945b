#include "CEarshotCLI.h"

#include <string.h>

int earshot_hashing_is_random(int count, char **arguments) {
  static const char *const commands[] = {"advertise", "browse", "chat", "ping", "pipe", "send", "receive", "doctor"};
  for (unsigned index = 0; count > 1 && index < sizeof commands / sizeof commands[0]; index++) {
    if (strcmp(arguments[1], commands[index]) == 0) return 1;
  }
  return 0;
}
