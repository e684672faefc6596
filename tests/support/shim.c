/* Makes a healthy disk behave like a bad one, for one process: loaded before the C library.
 *
 * KEN_SHIM_FULL_AFTER=N     the (N+1)th write to a regular file, and every later one, finds the disk full
 * KEN_SHIM_NO_LOCKS=1       the filesystem does not know flock
 * KEN_SHIM_READ_ONLY=PATH   nothing below PATH can be opened for writing, as on a disk that is mounted read-only
 * KEN_SHIM_EIO_AFTER=N      the (N+1)th read of a regular file in KEN_HOME, and every later one, is an input/output error
 * KEN_SHIM_SYNCED=PATH      what is synced is written into this file, a path a line
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long writes;

static int full(int fd) {
    const char *after = getenv("KEN_SHIM_FULL_AFTER");
    struct stat about;
    if (!after || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    return __sync_fetch_and_add(&writes, 1) >= atol(after);
}

static long reads;

static int named(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int unreadable(int fd) {
    const char *after = getenv("KEN_SHIM_EIO_AFTER"), *home = getenv("KEN_HOME");
    char path[PATH_MAX];
    struct stat about;
    if (!after || !home || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return 0;
    if (!named(fd, path) || strncmp(path, home, strlen(home)) != 0) return 0;
    return __sync_fetch_and_add(&reads, 1) >= atol(after);
}

#define UNREADABLE(fd) if (unreadable(fd)) { errno = EIO; return -1; }

ssize_t read(int fd, void *data, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    UNREADABLE(fd)
    return real(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t at) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real) real = (ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    UNREADABLE(fd)
    return real(fd, data, size, at);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real) real = (ssize_t (*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    UNREADABLE(fd)
    return real(fd, data, size, at);
}

static void note(int fd) {
    const char *log = getenv("KEN_SHIM_SYNCED");
    char path[PATH_MAX];
    if (!log || !named(fd, path)) return;
    FILE *file = fopen(log, "a");
    if (file) { fprintf(file, "%s\n", path); fclose(file); }
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    note(fd);
    return real(fd);
}

static int refused(const char *path, int flags) {
    const char *below = getenv("KEN_SHIM_READ_ONLY");
    int writing = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    return below && writing && strncmp(path, below, strlen(below)) == 0;
}

#define FULL(fd) if (full(fd)) { errno = ENOSPC; return -1; }

ssize_t write(int fd, const void *data, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    FULL(fd)
    return real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    FULL(fd)
    return real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    FULL(fd)
    return real(fd, data, size, at);
}

int flock(int fd, int operation) {
    static int (*real)(int, int);
    if (!real) real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (getenv("KEN_SHIM_NO_LOCKS")) { errno = ENOTSUP; return -1; }
    return real(fd, operation);
}

#define OPEN(name)                                                                            \
    int name(const char *path, int flags, ...) {                                              \
        static int (*real)(const char *, int, ...);                                           \
        va_list rest;                                                                         \
        mode_t mode = 0;                                                                      \
        if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);           \
        va_start(rest, flags);                                                                \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t);                       \
        va_end(rest);                                                                         \
        if (refused(path, flags)) { errno = EROFS; return -1; }                               \
        return real(path, flags, mode);                                                       \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                          \
    int name(int folder, const char *path, int flags, ...) {                                  \
        static int (*real)(int, const char *, int, ...);                                      \
        va_list rest;                                                                         \
        mode_t mode = 0;                                                                      \
        if (!real) real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, #name);      \
        va_start(rest, flags);                                                                \
        if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t);                       \
        va_end(rest);                                                                         \
        if (refused(path, flags)) { errno = EROFS; return -1; }                               \
        return real(folder, path, flags, mode);                                               \
    }
OPENAT(openat)
OPENAT(openat64)
