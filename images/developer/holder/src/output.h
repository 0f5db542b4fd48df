/* One output of the program: where it is read, and what of it is kept. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "log.h"
#include "program.h"

struct output {
    struct log log;
    uint64_t acknowledged; /* output before this need not be kept */
    uint64_t exited_end;   /* where it was when the program ended */
    int is_empty;          /* whether nothing was left to be read at the last try */
};

/* Whether no more is read until something is acknowledged. */
int output_is_full(const struct output *output);
/*
 * Reads what the program printed, at most `limit` bytes or a little more. With `is_dropping` the oldest output is overwritten
 * instead of waiting for acknowledgements.
 */
void output_read(struct output *output, struct program *program, int stream, size_t limit, int is_dropping);

#endif
