/* One held session: the program, its outputs, and the attached server. */
#ifndef HOLDER_H
#define HOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "program/program.h"

/* How an attachment ended, sent to the attached process as one byte. */
#define ENDED_GONE 'g'   /* the session is over, and all of it was reported */
#define ENDED_TAKEN 't'  /* another server attached */
#define ENDED_LEFT 'l'   /* the server went away */

struct holder_options {
    const char *folder, *id;
    /* How long to wait for a server while none is attached, or for one to collect the end. Then the session ends. */
    uint32_t wait_seconds;
    size_t log_bytes; /* how much of each output is kept */
    int may_drop;     /* whether a full log drops its oldest after a while without a server; else it blocks */
    enum io io;
    uint16_t cols, rows;
    int door;
    int in, out, done;
    char *const *argv;
};

/* Runs until the session is over. Returns the exit code of the holder itself. */
int holder_run(const struct holder_options *options);

#endif
