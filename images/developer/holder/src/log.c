#include "log.h"

#include <stdlib.h>

static size_t at(uint64_t offset) { return (size_t)(offset & (LOG_BYTES - 1)); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

int log_open(struct log *log) {
    log->start = log->end = 0;
    log->ring = malloc(LOG_BYTES);
    return log->ring ? 0 : -1;
}

struct iovec log_room(struct log *log, size_t limit) {
    size_t from = at(log->end);
    return (struct iovec){.iov_base = log->ring + from, .iov_len = least(limit, LOG_BYTES - from)};
}

void log_add(struct log *log, size_t bytes) {
    log->end += bytes;
    if (log->end - log->start > LOG_BYTES) log->start = log->end - LOG_BYTES;
}

int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]) {
    size_t total = least(limit, (size_t)(log->end - offset));
    if (total == 0) return 0;
    size_t first = least(total, LOG_BYTES - at(offset));
    pieces[0] = (struct iovec){.iov_base = log->ring + at(offset), .iov_len = first};
    if (first == total) return 1;
    pieces[1] = (struct iovec){.iov_base = log->ring, .iov_len = total - first};
    return 2;
}
