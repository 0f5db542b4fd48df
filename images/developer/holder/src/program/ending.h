/* Ends a program's session in a separate process, because this takes seconds, and output goes on meanwhile. */
#ifndef ENDING_H
#define ENDING_H

#include <stdint.h>
#include <sys/types.h>

struct ending {
    pid_t ender;      /* 0: not begun; ENDER_DONE */
    int is_left_over; /* whether some of the session's processes could not be ended */
};

/* Begins the end, once. */
void ending_begin(struct ending *ending, pid_t leader, uint64_t ticks);
int ending_has_begun(const struct ending *ending);
int ending_is_done(const struct ending *ending);
/* Call it when a child has ended. */
void ending_reap(struct ending *ending);

#endif
