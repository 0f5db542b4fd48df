/* The socket at which a held session is found again; who knocks hands over the ends of its pipes. */
#ifndef DOOR_H
#define DOOR_H

#include <stdint.h>

#include "frames.h"

/* A server at the door: the offsets of the outputs that it has, and the ends of its pipes. */
struct knock {
    uint64_t offsets[STREAMS];
    int in, out, done;
};

/* Makes the folder (for this user alone) and listens. Answers the socket, or -1 with errno. */
int door_open(const char *folder, const char *id);
void door_remove(const char *folder, const char *id);
/* Takes in who waits at the door. Answers 0, or -1 when it was nobody who wants in. */
int door_answer(int door, struct knock *knock);
/* Hands the knock over. Answers 0, or -1 with errno. */
int door_knock(const char *folder, const char *id, const struct knock *knock);
/* Whether somebody is behind the door: 1 or 0, or -1 when that cannot be told. */
int door_is_held(const char *folder, const char *id);

#endif
