/* One held session: the program's terminal, its output, and whoever is attached. */
#ifndef HOLDER_H
#define HOLDER_H

#include <stdint.h>

#include "connection.h"

/* How an attachment ended, told to the attached process as one byte. */
#define ENDED_GONE 'g'   /* the session is over, and everything of it was told */
#define ENDED_TAKEN 't'  /* somebody else attached */
#define ENDED_LEFT 'l'   /* the backend went away */

struct holder_options {
    const char *folder, *id;
    uint32_t wait_seconds; /* for which it waits for somebody while nobody is attached; then it ends the program */
    uint16_t cols, rows;
    int door;
    int in, out, done;
    char *const *argv;
};

/* Runs until the session is over. Answers the exit code of the holder itself. */
int holder_run(const struct holder_options *options);

#endif
