#define _GNU_SOURCE
#include "Original.h"

#include <stddef.h>
#include <string.h>

_Thread_local const void *earshot_world;
earshot_world_calls earshot_calls;
earshot_system_call earshot_system_call_answer;

/* The runtime asks these hooks, if they are set, in place of its own functions, which it passes along
   (swift/Runtime/Concurrency.h). */
#define SWIFT_CC __attribute__((swiftcall))

typedef struct job job;
typedef SWIFT_CC void (*enqueue)(job *);
typedef SWIFT_CC void (*enqueue_hook)(job *, enqueue);
typedef SWIFT_CC earshot_executor (*main_executor)(void);
typedef SWIFT_CC earshot_executor (*main_executor_hook)(main_executor);

extern SWIFT_CC uint64_t swift_task_getJobTaskId(job *);
extern enqueue_hook swift_task_enqueueGlobal_hook __attribute__((weak));
extern main_executor_hook swift_task_getMainExecutor_hook __attribute__((weak));

/* Other threads may be in the runtime while the hooks are set: what a hook reads is there before it. */
static _Atomic(enqueue_hook) enqueue_hook_before;
static _Atomic(main_executor_hook) main_executor_hook_before;

static SWIFT_CC void enqueue_global(job *job, enqueue original) {
  if (earshot_world != NULL && earshot_calls.pool(earshot_world, job)) return;
  enqueue_hook before = enqueue_hook_before;
  if (before != NULL) {
    before(job, original);
  } else {
    original(job);
  }
}

static SWIFT_CC earshot_executor get_main_executor(main_executor original) {
  earshot_executor other;
  if (earshot_world != NULL && earshot_calls.main(earshot_world, &other)) return other;
  main_executor_hook before = main_executor_hook_before;
  return before != NULL ? before(original) : original();
}

void earshot_world_install(const earshot_world_calls *calls) {
  earshot_calls = *calls;
  if (&swift_task_enqueueGlobal_hook != NULL) {
    enqueue_hook_before = swift_task_enqueueGlobal_hook;
    __atomic_store_n(&swift_task_enqueueGlobal_hook, enqueue_global, __ATOMIC_RELEASE);
  }
  if (&swift_task_getMainExecutor_hook != NULL) {
    main_executor_hook_before = swift_task_getMainExecutor_hook;
    __atomic_store_n(&swift_task_getMainExecutor_hook, get_main_executor, __ATOMIC_RELEASE);
  }
}

const void *earshot_world_drive(const void *world) {
  const void *before = earshot_world;
  earshot_world = world;
  return before;
}

int earshot_system_is_answered(void) { return earshot_world != NULL; }

void earshot_system_capture(earshot_system_call call) { earshot_system_call_answer = call; }

int earshot_is_in_library(const void *address, const char *name) {
  Dl_info place;
  return dladdr(address, &place) != 0 && place.dli_fname != NULL && strstr(place.dli_fname, name) != NULL;
}

uint64_t earshot_task_number(void *job) { return swift_task_getJobTaskId(job); }
