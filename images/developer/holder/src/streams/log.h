/* One output of the program, kept in a ring with absolute offsets. */
#ifndef LOG_H
#define LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * Size of a terminal's log, and the bounds of others; all are powers of two. If unacknowledged output fills its ring,
 * the program blocks, unless the oldest output may be dropped.
 */
#define LOG_BYTES ((size_t)1 << 20)
#define LOG_LEAST_BYTES ((size_t)1 << 16)
#define LOG_MOST_BYTES ((size_t)1 << 24)

struct log {
    unsigned char *ring;
    size_t bytes; /* of the ring */
    uint64_t start; /* offset of the oldest byte that is kept */
    uint64_t end;   /* offset of the next byte */
};

/* Allocates at least so many bytes, within the bounds. Returns 0, or -1 without memory. */
int log_open(struct log *log, size_t bytes);
/* Returns where to write the next bytes, at most `limit` of them and contiguous. A full ring overwrites the oldest. */
struct iovec log_room(struct log *log, size_t limit);
/* Adds so many bytes that were written there. */
void log_add(struct log *log, size_t bytes);
/* The kept bytes from an offset on, at most `limit`, in one or two pieces. Returns the number of pieces. */
int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]);

#endif
