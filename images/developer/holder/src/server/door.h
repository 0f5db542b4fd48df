/* The door: the socket of a held session. A client that knocks hands over the ends of its pipes. */
#ifndef DOOR_H
#define DOOR_H

#include <stdint.h>

#include "frames.h"

/* A server at the door: the offsets up to which it has the outputs, and the ends of its pipes. */
struct knock {
    uint64_t offsets[STREAMS];
    int in, out, done;
};

/* Creates the folder (for this user only) and listens. Returns the socket, or -1 with errno. */
int door_open(const char *folder, const char *id);
void door_remove(const char *folder, const char *id);
/* Accepts a client. Returns 0, or -1 if its request is invalid. */
int door_answer(int door, struct knock *knock);
/* Hands the knock over. Returns 0, or -1 with errno. */
int door_knock(const char *folder, const char *id, const struct knock *knock);
/* Whether a holder listens at the door: 1 or 0, or -1 if this is unknown. */
int door_is_held(const char *folder, const char *id);

#endif
