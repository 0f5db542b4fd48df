/* One output of the program, kept in a ring and named by absolute offsets. */
#ifndef LOG_H
#define LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Least and most bytes of a ring, both powers of two. A terminal has the least. */
#define LOG_MIN_BYTES ((size_t)1 << 20)
#define LOG_MAX_BYTES ((size_t)16 << 20)

struct log {
    unsigned char *ring;
    size_t size;
    uint64_t start; /* offset of the oldest byte that is kept */
    uint64_t end;   /* offset of the byte that comes next */
};

/* The smallest size that holds so many bytes, within the bounds. */
size_t log_size(unsigned long long bytes);
int log_open(struct log *log, size_t size);
/* Where the next bytes may be written, at most `limit` of them and contiguous. Overwrites the oldest once full. */
struct iovec log_room(struct log *log, size_t limit);
/* So many bytes were written there. */
void log_add(struct log *log, size_t bytes);
/* The kept bytes from an offset on, at most `limit`: one or two pieces. Answers how many pieces. */
int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]);

#endif
