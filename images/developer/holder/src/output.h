/* One output of the program: what is kept of it, and how far it may run ahead of who reads it. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdint.h>

#include "log.h"

struct output {
    struct log log;
    uint64_t acknowledged; /* output before this needs to be kept no longer */
    uint64_t exited_end;   /* where it was when the program ended */
    int64_t full_at;       /* ms; when it began to block the program; -1: it does not */
    int is_empty;          /* whether nothing was left to be read when it was looked last */
    int is_dropping;       /* whether the oldest goes where there is no room */
};

/* Answers 0, or -1 without memory. */
int output_open(struct output *output, size_t bytes);
/* It goes on for a server that has everything before `offset`. Answers from where on it can be had. */
uint64_t output_resume(struct output *output, uint64_t offset);
int output_is_full(const struct output *output);
/* Reads what there is. Answers -1 when nothing can come any more, else 0. */
int output_read(struct output *output, int fd, int64_t now);
/* A server has stored everything before `offset`; `sent` is as far as it can know. */
void output_acknowledge(struct output *output, uint64_t offset, uint64_t sent);

#endif
