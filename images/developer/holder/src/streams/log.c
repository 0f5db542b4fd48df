#include "streams/log.h"

#include <stdlib.h>

static size_t at(const struct log *log, uint64_t offset) { return (size_t)(offset & (log->bytes - 1)); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

int log_open(struct log *log, size_t bytes) {
    log->start = log->end = 0;
    log->bytes = LOG_LEAST_BYTES;
    while (log->bytes < bytes && log->bytes < LOG_MOST_BYTES) log->bytes *= 2;
    log->ring = malloc(log->bytes);
    return log->ring ? 0 : -1;
}

struct iovec log_room(struct log *log, size_t limit) {
    size_t from = at(log, log->end);
    return (struct iovec){.iov_base = log->ring + from, .iov_len = least(limit, log->bytes - from)};
}

void log_add(struct log *log, size_t bytes) {
    log->end += bytes;
    if (log->end - log->start > log->bytes) log->start = log->end - log->bytes;
}

int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]) {
    size_t total = least(limit, (size_t)(log->end - offset));
    if (total == 0) return 0;
    size_t first = least(total, log->bytes - at(log, offset));
    pieces[0] = (struct iovec){.iov_base = log->ring + at(log, offset), .iov_len = first};
    if (first == total) return 1;
    pieces[1] = (struct iovec){.iov_base = log->ring, .iov_len = total - first};
    return 2;
}
