// Spoils a disk for whoever loads this before the C library, as SQLite does:
// syncs, on which every commit waits, take SLOW_DISK_US microseconds more; and
// while the file FAILING_DISK is there and not empty, what begins with its first
// letter ("w" writes, "s" syncs) is answered with an input/output error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(char what) {
  const char *name = getenv("FAILING_DISK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  char first = 0;
  if (fd < 0) return 0;
  if (read(fd, &first, 1) != 1) first = 0;
  close(fd);
  if (first == what) errno = EIO;
  return first == what;
}

static int sync_of(const char *name, int fd) {
  const char *us = getenv("SLOW_DISK_US");
  if (us) usleep((useconds_t)atoi(us));
  return fails('s') ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

static ssize_t write_of(const char *name, int fd, const void *from, size_t n, off64_t at) {
  return fails('w') ? -1 : ((ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, name))(fd, from, n, at);
}

int fsync(int fd) { return sync_of("fsync", fd); }
int fdatasync(int fd) { return sync_of("fdatasync", fd); }
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { return write_of("pwrite", fd, from, n, at); }
ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) { return write_of("pwrite64", fd, from, n, at); }
