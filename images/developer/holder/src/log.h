/* The program's output, kept in a ring: at most LOG_BYTES, named by absolute offsets. */
#ifndef LOG_H
#define LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* A power of two. Output that was neither acknowledged nor given up blocks the program once it fills this. */
#define LOG_BYTES ((size_t)1 << 20)

struct log {
    unsigned char *ring;
    uint64_t start; /* offset of the oldest byte that is kept */
    uint64_t end;   /* offset of the byte that comes next */
};

int log_open(struct log *log);
/* Where the next bytes may be written, at most `limit` of them and contiguous. Overwrites the oldest once full. */
struct iovec log_room(struct log *log, size_t limit);
/* So many bytes were written there. */
void log_add(struct log *log, size_t bytes);
/* The kept bytes from an offset on, at most `limit`: one or two pieces. Answers how many pieces. */
int log_from(const struct log *log, uint64_t offset, size_t limit, struct iovec pieces[2]);

#endif
