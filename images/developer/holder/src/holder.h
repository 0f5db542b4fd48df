/* One held session: the program, its output, and the backend that is attached. */
#ifndef HOLDER_H
#define HOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "connection.h"

/* How an attachment ended, told to the attached process as one byte. */
#define ENDED_GONE 'g'   /* the session is over, and everything of it was told */
#define ENDED_TAKEN 't'  /* another backend attached */
#define ENDED_LEFT 'l'   /* the backend went away */

struct holder_options {
    const char *folder, *id;
    uint32_t wait_seconds; /* for which it waits while no backend is attached; then it ends the program */
    int is_terminal;
    uint16_t cols, rows; /* of a terminal */
    int has_input;       /* of pipes */
    size_t log_bytes;    /* of each output; as log_size() makes it */
    int blocks;          /* a full log blocks the program; otherwise, unattended for a while, the oldest output is dropped */
    int door;
    int in, out, done;
    char *const *argv;
};

/* Runs until the session is over. Answers the exit code of the holder itself. */
int holder_run(const struct holder_options *options);

#endif
