// Makes a disk slow for whoever loads this before the C library: SQLite's
// syncs, on which every commit waits, take SLOW_DISK_US microseconds more.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_disk(void) {
  const char *us = getenv("SLOW_DISK_US");
  if (us) usleep((useconds_t)atoi(us));
}

int fsync(int fd) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
