#include "log.h"

#include <stdlib.h>

static size_t at(const struct log *log, uint64_t offset) { return (size_t)(offset & (log->size - 1)); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t log_size(unsigned long long bytes) {
    size_t size = LOG_MIN_BYTES;
    while (size < bytes && size < LOG_MAX_BYTES) size *= 2;
    return size;
}

/* The kernel gives memory to the parts of a ring that are written. */
int log_open(struct log *log, size_t size) {
    *log = (struct log){.ring = malloc(size), .size = size};
    return log->ring ? 0 : -1;
}

struct iovec log_room(struct log *log, size_t limit) {
    size_t from = at(log, log->end);
    return (struct iovec){.iov_base = log->ring + from, .iov_len = least(limit, log->size - from)};
}

void log_add(struct log *log, size_t bytes) {
    log->end += bytes;
    if (log->end - log->start > log->size) log->start = log->end - log->size;
}

int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]) {
    size_t total = least(limit, (size_t)(log->end - offset));
    if (total == 0) return 0;
    size_t first = least(total, log->size - at(log, offset));
    pieces[0] = (struct iovec){.iov_base = log->ring + at(log, offset), .iov_len = first};
    if (first == total) return 1;
    pieces[1] = (struct iovec){.iov_base = log->ring, .iov_len = total - first};
    return 2;
}
