#define _GNU_SOURCE
#if defined(__linux__)

#include "CCapturedSubject.h"

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#pragma clang diagnostic ignored "-Wunused-result"
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static void print(const char *name, long long value) { printf("%s %lld\n", name, value); }

static void print_time(const char *name, struct timespec time) {
  printf("%s %lld.%09ld\n", name, (long long)time.tv_sec, time.tv_nsec);
}

static void print_random(const char *name, int file) {
  uint64_t number = 0;
  read(file, &number, sizeof number);
  close(file);
  printf("%s %" PRIu64 "\n", name, number);
}

static void print_stream(const char *name, FILE *stream) {
  uint64_t number = 0;
  fread(&number, sizeof number, 1, stream);
  if (stream != stdin) fclose(stream);
  printf("%s %" PRIu64 "\n", name, number);
}

static void print_chance(const char *folder) {
  uint64_t number;
  getrandom(&number, sizeof number, 0);
  printf("getrandom %" PRIu64 "\n", number);
  getentropy(&number, sizeof number);
  printf("getentropy %" PRIu64 "\n", number);
  syscall(SYS_getrandom, &number, sizeof number, 0);
  printf("SYS_getrandom %" PRIu64 "\n", number);
  print("arc4random", arc4random());
  arc4random_buf(&number, sizeof number);
  printf("arc4random_buf %" PRIu64 "\n", number);
  print("arc4random_uniform", arc4random_uniform(1 << 30));
  print_random("open", open("/dev/urandom", O_RDONLY));
  print_random("open64", open64("/dev//random", O_RDONLY));
  print_random("openat", openat(AT_FDCWD, "/dev/urandom", O_RDONLY));
  print_random("openat64", openat64(AT_FDCWD, "/dev/random", O_RDONLY));
  print_random("SYS_openat", (int)syscall(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY, 0));
  print_stream("fopen", fopen("/dev/urandom", "r"));
  print_stream("fopen64", fopen64("/dev/random", "rb"));
  print_stream("freopen", freopen("/dev/urandom", "r", stdin));
  print_stream("freopen64", freopen64("/dev/urandom", "r", stdin));

  char path[4096];
#define MADE(name, suffix, ...)                            \
  snprintf(path, sizeof path, "%s/XXXXXX%s", folder, suffix); \
  if ((long)name(path __VA_ARGS__) <= 0) strcpy(path, "/none");  \
  printf("%s %s\n", #name, strrchr(path, '/') + 1);        \
  remove(path);
  MADE(mkstemp, "")
  MADE(mkstemp64, "")
  MADE(mkostemp, "", , O_CLOEXEC)
  MADE(mkostemp64, "", , O_CLOEXEC)
  MADE(mkstemps, ".txt", , 4)
  MADE(mkstemps64, ".txt", , 4)
  MADE(mkostemps, ".txt", , 4, O_CLOEXEC)
  MADE(mkostemps64, ".txt", , 4, O_CLOEXEC)
  MADE(mkdtemp, "")
  MADE(mktemp, "")
  printf("tmpnam %s\n", tmpnam(path));
  printf("tmpnam_r %s\n", tmpnam_r(path));
  char *named = tempnam(folder, "part");
  printf("tempnam %s\n", named == NULL ? "none" : strrchr(named, '/') + 1);
  free(named);
}

long __sysconf(int name);

static void print_clocks(void) {
  struct timespec time_read;
  struct timeval date;
  struct tms ticks;
  struct rusage usage;
  clockid_t processor;
  clock_gettime(CLOCK_REALTIME, &time_read);
  print_time("clock_gettime", time_read);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time_read);
  print_time("processor", time_read);
  clock_getcpuclockid(0, &processor);
  clock_gettime(processor, &time_read);
  print_time("clock_getcpuclockid", time_read);
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time_read);
  print_time("SYS_clock_gettime", time_read);
  timespec_get(&time_read, TIME_UTC);
  print_time("timespec_get", time_read);
  gettimeofday(&date, NULL);
  printf("gettimeofday %lld.%06ld\n", (long long)date.tv_sec, (long)date.tv_usec);
  print("time", time(NULL));
  print("clock", clock());
  printf("times %ld %ld\n", times(&ticks), ticks.tms_utime);
  getrusage(RUSAGE_SELF, &usage);
  printf("getrusage %ld %ld %ld\n", usage.ru_utime.tv_sec, usage.ru_stime.tv_sec, usage.ru_maxrss);
  print("sched_getcpu", sched_getcpu());
  unsigned number = 9;
  getcpu(&number, NULL);
  print("getcpu", number);
  print("__sysconf", __sysconf(_SC_AVPHYS_PAGES) == sysconf(_SC_PHYS_PAGES));
  print("sysconf", sysconf(_SC_AVPHYS_PAGES) - sysconf(_SC_PHYS_PAGES));
}

static void print_identifiers(void) {
  print("getpid", getpid());
  print("getppid", getppid());
  print("gettid", gettid());
  print("getpgrp", getpgrp());
  print("getpgid", getpgid(0));
  print("__getpgid", __getpgid(getpid()));
  print("getsid", getsid(getpid()));
  print("SYS_getpid", syscall(SYS_getpid));
}

static void print_times(const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/file", folder);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  struct stat status;
  struct stat64 status64;
  struct statx extended;
  stat(path, &status);
  print_time("stat", status.st_mtim);
  print_time("changed", status.st_ctim);
  lstat(path, &status);
  print_time("lstat", status.st_mtim);
  fstat(file, &status);
  print_time("fstat", status.st_atim);
  fstatat(AT_FDCWD, path, &status, 0);
  print_time("fstatat", status.st_mtim);
  stat64(path, &status64);
  print_time("stat64", status64.st_mtim);
  lstat64(path, &status64);
  print_time("lstat64", status64.st_mtim);
  fstat64(file, &status64);
  print_time("fstat64", status64.st_mtim);
  fstatat64(AT_FDCWD, path, &status64, 0);
  print_time("fstatat64", status64.st_mtim);
  statx(AT_FDCWD, path, 0, STATX_ALL, &extended);
  print("statx", extended.stx_mtime.tv_sec + extended.stx_mtime.tv_nsec);
  print("born", extended.stx_btime.tv_sec + extended.stx_btime.tv_nsec);
  char *roots[] = {path, NULL};
  FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
  print_time("fts_read", fts_read(walk)->fts_statp->st_mtim);
  fts_close(walk);
  roots[0] = (char *)folder;
  walk = fts_open(roots, FTS_PHYSICAL, NULL);
  fts_read(walk);
  print_time("fts_children", fts_children(walk, 0)->fts_statp->st_mtim);
  fts_close(walk);

  /* The world is at two seconds. */
#define SET(name, call)           \
  call;                           \
  stat(path, &status);            \
  print_time(name, status.st_mtim);
  struct timespec dates[2] = {{.tv_sec = 11, .tv_nsec = 12}, {.tv_sec = 13, .tv_nsec = 14}};
  struct timeval coarse[2] = {{.tv_sec = 21, .tv_usec = 22}, {.tv_sec = 23, .tv_usec = 24}};
  struct utimbuf coarsest = {.actime = 31, .modtime = 33};
  SET("utimensat", utimensat(AT_FDCWD, path, dates, 0))
  SET("written", write(file, "a", 1))
  SET("futimens", futimens(file, NULL))
  SET("utimes", utimes(path, coarse))
  SET("lutimes", lutimes(path, NULL))
  SET("futimes", futimes(file, coarse))
  SET("futimesat", futimesat(AT_FDCWD, path, NULL))
  SET("utime", utime(path, &coarsest))
  close(file);
  remove(path);
}

void captured_subject_print_answers(const char *folder) {
  print_chance(folder);
  print_clocks();
  print_identifiers();
  print_times(folder);
}

#endif
