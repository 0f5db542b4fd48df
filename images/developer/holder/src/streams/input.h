/* Input on its way to the program. */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "streams/connection.h"

/*
 * Most input that may wait for a program that does not read. A client keeps no more under way, so that its other
 * frames, above all acknowledgements, are handled.
 */
#define TYPING_BYTES ((size_t)256 * 1024)

struct input {
    unsigned char typing[TYPING_BYTES]; /* input that the program has not consumed: from `at` to `end` */
    size_t at, end;
    uint64_t taken, taken_before, taken_told; /* consumed input in all; at the attachment; as last reported */
    int is_ended;                             /* whether the input has ended */
};

size_t input_waiting(const struct input *input);
size_t input_room(const struct input *input);
/* Adds a frame's bytes, for which there must be room. */
void input_add(struct input *input, const struct frame *frame);
/* A server attached: the count of consumed input begins anew. */
void input_resume(struct input *input);
/* Writes input to the program. Returns -1 if it will never accept more, else 0. */
int input_write(struct input *input, int fd);
/* Drops the waiting input, because the program has closed the other side. */
void input_drop(struct input *input);
/* Reports consumed input, if it is enough for a frame. */
void input_tell(struct input *input, struct connection *connection);

#endif
