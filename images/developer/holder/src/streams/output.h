/* One output of the program: its log, and how far it may run ahead of its reader. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdint.h>

#include "streams/log.h"

struct output {
    struct log log;
    uint64_t acknowledged; /* output before this need not be kept any longer */
    uint64_t exited_end;   /* its end when the program ended */
    int64_t full_at;       /* ms, since when it blocks the program; -1: it does not */
    int is_empty;          /* whether nothing was left to read at the last read */
    int is_dropping;       /* whether it drops the oldest output to make room */
};

/* Returns 0, or -1 without memory. */
int output_open(struct output *output, size_t bytes);
/* Resumes for a server that has everything before `offset`. Returns the offset at which it continues. */
uint64_t output_resume(struct output *output, uint64_t offset);
int output_is_full(const struct output *output);
/* Reads what there is. Returns -1 if no more can come, else 0. */
int output_read(struct output *output, int fd, int64_t now);
/* A server has stored everything before `offset`. It cannot know more than `sent`. */
void output_acknowledge(struct output *output, uint64_t offset, uint64_t sent);

#endif
