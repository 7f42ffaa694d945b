#define _GNU_SOURCE
#if defined(__linux__)

#include "CCapturedSubject.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

/* Each fails at once, or after a second, where it is not refused. */
static struct timespec soon = {.tv_sec = 1};
static struct timespec later = {.tv_sec = 4000000000};
static char *none[] = {"nothing", NULL};
static char nowhere[] = "/nowhere";
static sigset_t signals;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static cnd_t thread_condition;
static mtx_t thread_mutex;
static mtx_t timed_mutex;
static once_flag thread_once = ONCE_FLAG_INIT;
static unsigned word;

/* Under its own name, which the header has call the other one. */
int plain_ntp_gettime(struct ntptimeval *time) __asm__("ntp_gettime");

static void *begin(void *argument) { return argument; }
static int begin_alike(void *argument) { return argument == NULL; }
static void do_once(void) { pthread_once(&once, do_once); }
static void do_thread_once(void) { call_once(&thread_once, do_thread_once); }

#define MISDEED(name, ...) \
  if (strcmp(wanted, #name) == 0) { __VA_ARGS__; return 1; }

#pragma clang diagnostic ignored "-Wunused-result"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

int captured_subject_misdeed(const char *wanted) {
  pthread_t thread;
  thrd_t other_thread;
  timer_t timer;
  struct itimerval interval = {.it_value = {.tv_sec = 1}};
  struct pollfd nothing;
  struct epoll_event event;
  struct timex adjustment = {0};
  struct ntptimeval ntp;
  struct timeval time = {.tv_sec = 1};
  struct tm parts;
  struct sysinfo system_state;
  double loads[3];
  static unsigned short samples[4];
  int numbers[2];
  pid_t child;
  wordexp_t words;
  static char stack[65536];
  sigaddset(&signals, SIGUSR1);
  sem_init(&semaphore, 0, 0);
  pthread_spin_init(&spinlock, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  cnd_init(&thread_condition);
  mtx_init(&thread_mutex, mtx_plain);
  mtx_init(&timed_mutex, mtx_timed);

  MISDEED(pthread_create, pthread_create(&thread, NULL, begin, NULL))
  MISDEED(thrd_create, thrd_create(&other_thread, begin_alike, NULL))
  MISDEED(pthread_barrier_wait, pthread_barrier_wait(&barrier))
  MISDEED(nanosleep, nanosleep(&soon, NULL))
  MISDEED(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL))
  MISDEED(usleep, usleep(1))
  MISDEED(sleep, sleep(1))
  MISDEED(thrd_sleep, thrd_sleep(&soon, NULL))
  MISDEED(pthread_cond_wait, pthread_cond_wait(&condition, &mutex))
  MISDEED(pthread_cond_timedwait, pthread_cond_timedwait(&condition, &mutex, &soon))
  MISDEED(pthread_cond_clockwait, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon))
  MISDEED(cnd_wait, cnd_wait(&thread_condition, &thread_mutex))
  MISDEED(cnd_timedwait, cnd_timedwait(&thread_condition, &thread_mutex, &soon))
  MISDEED(poll, poll(&nothing, 0, 1))
  MISDEED(ppoll, ppoll(&nothing, 0, &soon, NULL))
  MISDEED(select, select(0, NULL, NULL, NULL, NULL))
  MISDEED(pselect, pselect(0, NULL, NULL, NULL, &soon, NULL))
  MISDEED(epoll_wait, epoll_wait(-1, &event, 1, 1))
  MISDEED(epoll_pwait, epoll_pwait(-1, &event, 1, 1, NULL))
  MISDEED(epoll_pwait2, epoll_pwait2(-1, &event, 1, &soon, NULL))
  MISDEED(sigtimedwait, sigtimedwait(&signals, NULL, &soon))
  MISDEED(sigwaitinfo, sigwaitinfo(&signals, NULL))
  MISDEED(sigwait, sigwait(&signals, numbers))
  MISDEED(sigsuspend, sigsuspend(&signals))
  MISDEED(sigpause, sigpause(SIGUSR1))
  MISDEED(pause, pause())
  MISDEED(alarm, alarm(1))
  MISDEED(ualarm, ualarm(1, 0))
  MISDEED(setitimer, setitimer(ITIMER_REAL, &interval, NULL))
  MISDEED(timer_create, timer_create(CLOCK_MONOTONIC, NULL, &timer))
  MISDEED(timerfd_create, timerfd_create(CLOCK_MONOTONIC, 0))
  MISDEED(profil, profil(samples, sizeof samples, 0, 0))
  MISDEED(clock_settime, clock_settime(-1, &soon))
  MISDEED(clock_adjtime, clock_adjtime(CLOCK_REALTIME, &adjustment))
  MISDEED(settimeofday, settimeofday(NULL, NULL))
  MISDEED(adjtime, adjtime(NULL, &time))
  MISDEED(adjtimex, adjtimex(&adjustment))
  MISDEED(ntp_gettime, plain_ntp_gettime(&ntp))
  MISDEED(ntp_gettimex, ntp_gettimex(&ntp))
  MISDEED(getdate, getdate("1"))
  MISDEED(getdate_r, getdate_r("1", &parts))
  MISDEED(getloadavg, getloadavg(loads, 3))
  MISDEED(sysinfo, sysinfo(&system_state))
  MISDEED(get_avphys_pages, get_avphys_pages())
  MISDEED(setsockopt, setsockopt(-1, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time))
  MISDEED(SO_SNDTIMEO, setsockopt(-1, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time))
  MISDEED(socket, socket(AF_INET, SOCK_STREAM, 0))
  MISDEED(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, numbers))
  MISDEED(fork, fork())
  MISDEED(_Fork, _Fork())
  MISDEED(vfork, if (vfork() == 0) _exit(0))
  MISDEED(clone, clone(begin_alike, stack + sizeof stack, SIGCHLD, NULL))
  MISDEED(system, system("true"))
  MISDEED(popen, popen("true", "r"))
  MISDEED(posix_spawn, posix_spawn(&child, nowhere, NULL, NULL, none, none))
  MISDEED(posix_spawnp, posix_spawnp(&child, nowhere, NULL, NULL, none, none))
  MISDEED(daemon, daemon(1, 1))
  MISDEED(forkpty, forkpty(numbers, NULL, NULL, NULL))
  MISDEED(wordexp, wordexp("$(true)", &words, 0))
  MISDEED(execv, execv(nowhere, none))
  MISDEED(execve, execve(nowhere, none, none))
  MISDEED(execvp, execvp(nowhere, none))
  MISDEED(execvpe, execvpe(nowhere, none, none))
  MISDEED(execveat, execveat(-1, nowhere, none, none, 0))
  MISDEED(fexecve, fexecve(-1, none, none))
  MISDEED(execl, execl(nowhere, "nothing", NULL))
  MISDEED(execlp, execlp(nowhere, "nothing", NULL))
  MISDEED(execle, execle(nowhere, "nothing", NULL, none))
  MISDEED(setsid, setsid())
  MISDEED(setpgid, setpgid(0, 0))
  MISDEED(setpgrp, setpgrp())
  MISDEED(tcsetpgrp, tcsetpgrp(-1, 1))
  MISDEED(sem_wait, sem_wait(&semaphore))
  MISDEED(sem_timedwait, sem_timedwait(&semaphore, &later))
  MISDEED(sem_clockwait, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &later))

  /* Locks that are taken twice. */
  MISDEED(pthread_mutex_lock, pthread_mutex_lock(&mutex); pthread_mutex_lock(&mutex))
  MISDEED(pthread_mutex_timedlock, pthread_mutex_lock(&mutex); pthread_mutex_timedlock(&mutex, &later))
  MISDEED(pthread_mutex_clocklock, pthread_mutex_lock(&mutex);
          pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later))
  MISDEED(pthread_rwlock_wrlock, pthread_rwlock_rdlock(&rwlock); pthread_rwlock_wrlock(&rwlock))
  MISDEED(pthread_rwlock_rdlock, pthread_rwlock_wrlock(&rwlock); pthread_rwlock_rdlock(&rwlock))
  MISDEED(pthread_rwlock_timedwrlock, pthread_rwlock_rdlock(&rwlock); pthread_rwlock_timedwrlock(&rwlock, &later))
  MISDEED(pthread_rwlock_timedrdlock, pthread_rwlock_wrlock(&rwlock); pthread_rwlock_timedrdlock(&rwlock, &later))
  MISDEED(pthread_rwlock_clockwrlock, pthread_rwlock_rdlock(&rwlock);
          pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &later))
  MISDEED(pthread_rwlock_clockrdlock, pthread_rwlock_wrlock(&rwlock);
          pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &later))
  MISDEED(pthread_spin_lock, pthread_spin_lock(&spinlock); pthread_spin_lock(&spinlock))
  MISDEED(pthread_once, pthread_once(&once, do_once))
  MISDEED(mtx_lock, mtx_lock(&thread_mutex); mtx_lock(&thread_mutex))
  MISDEED(mtx_timedlock, mtx_lock(&timed_mutex); mtx_timedlock(&timed_mutex, &later))
  MISDEED(call_once, call_once(&thread_once, do_thread_once))

  /* The same past the C library. */
  MISDEED(SYS_nanosleep, syscall(SYS_nanosleep, &soon, NULL))
  MISDEED(SYS_clock_nanosleep, syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &soon, NULL))
  MISDEED(SYS_ppoll, syscall(SYS_ppoll, NULL, 0, &soon, NULL, 0))
  MISDEED(SYS_pselect6, syscall(SYS_pselect6, 0, NULL, NULL, NULL, &soon, NULL))
  MISDEED(SYS_epoll_pwait, syscall(SYS_epoll_pwait, -1, &event, 1, 1, NULL, 0))
  MISDEED(SYS_rt_sigtimedwait, syscall(SYS_rt_sigtimedwait, &signals, NULL, &soon, 8))
  MISDEED(SYS_timer_create, syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, numbers))
  MISDEED(SYS_timerfd_create, syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0))
  MISDEED(SYS_setitimer, syscall(SYS_setitimer, ITIMER_REAL, &interval, NULL))
  MISDEED(SYS_clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
  MISDEED(SYS_execve, syscall(SYS_execve, nowhere, none, none))
  MISDEED(SYS_socket, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0))
  MISDEED(SYS_futex, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &soon))
  return 0;
}

void captured_subject_print_harmless(void) {
  struct pollfd nothing;
  struct timespec zero = {0};
  sigaddset(&signals, SIGUSR1);
  printf("poll %d\n", poll(&nothing, 0, 0));
  printf("ppoll %d\n", ppoll(&nothing, 0, &zero, NULL));
  printf("sigtimedwait %d\n", sigtimedwait(&signals, NULL, &zero) == -1 && errno == EAGAIN);
  printf("futex %d\n", syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &soon) == -1 && errno == EAGAIN);
  sem_init(&semaphore, 0, 1);
  printf("sem_wait %d\n", sem_wait(&semaphore));
  printf("sem_timedwait %d\n", sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t recursive;
  pthread_mutex_init(&recursive, &kind);
  pthread_mutex_lock(&recursive);
  printf("recursive %d\n", pthread_mutex_lock(&recursive));
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked;
  pthread_mutex_init(&checked, &kind);
  pthread_mutex_lock(&checked);
  printf("checked %d\n", pthread_mutex_lock(&checked) == EDEADLK);
  pthread_mutex_lock(&mutex);
  printf("timed %d\n", pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  printf("again %d\n", pthread_mutex_lock(&mutex));
  printf("readers %d\n", pthread_rwlock_rdlock(&rwlock) + pthread_rwlock_rdlock(&rwlock));
  printf("kill %d\n", kill(getpid(), 0));
  printf("killpg %d\n", kill(-getpgrp(), 0) + killpg(getpgrp(), 0));
  printf("sigqueue %d\n", sigqueue(getpid(), 0, (union sigval){.sival_int = 1}));
  printf("tgkill %d\n", tgkill(getpid(), gettid(), 0));
  printf("syscall %ld\n", syscall(SYS_kill, getpid(), 0));
  printf("tcgetpgrp %d\n", tcgetpgrp(-1) == -1);
  printf("terminal %d\n", tcgetpgrp(0) == getpgrp());
}

#endif
