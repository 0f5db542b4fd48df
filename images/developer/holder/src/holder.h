/* One held session: the program, its outputs, and the server that is attached. */
#ifndef HOLDER_H
#define HOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "program.h"

/* How an attachment ended, told to the attached process as one byte. */
#define ENDED_GONE 'g'   /* the session is over, and everything of it was told */
#define ENDED_TAKEN 't'  /* another server attached */
#define ENDED_LEFT 'l'   /* the server went away */

struct holder_options {
    const char *folder, *id;
    /* How long it waits for a server while none is attached, or for one to collect the end; then it ends the session. */
    uint32_t wait_seconds;
    size_t log_bytes; /* what is kept of each output */
    int may_drop;     /* whether a full log drops its oldest after a while without a server; else it blocks the program */
    enum io io;
    uint16_t cols, rows;
    int door;
    int in, out, done;
    char *const *argv;
};

/* Runs until the session is over. Answers the exit code of the holder itself. */
int holder_run(const struct holder_options *options);

#endif
