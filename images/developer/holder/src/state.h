/* The complete state of a holder. */
#ifndef STATE_H
#define STATE_H

#include <time.h>

#include "holder.h"
#include "program/ending.h"
#include "program/program.h"
#include "streams/connection.h"
#include "streams/input.h"
#include "streams/output.h"

struct holder {
    const struct holder_options *options;
    struct program program;
    struct output outputs[STREAMS];
    struct input input;
    struct connection connection;
    struct ending ending;
    int is_blocked;         /* the next frame is input for which there is no room */
    uint32_t wait_seconds;
    int64_t detached_at;    /* ms; -1: a server is attached */
    int64_t told_at;        /* ms, when the server was told of the program's end; -1: not yet */
    int is_collected;       /* whether the server has confirmed that */
    int continue_within;    /* ms; -1: nothing has to be continued or checked */
    int64_t look_at;        /* ms, time of the next check for stopped processes; -1: no input since */
    int64_t draining_since; /* ms; stands still while a log is full */
    int is_drained, is_over;
};

static inline int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
