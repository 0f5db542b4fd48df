/* Input on its way to the program. */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "connection.h"

/*
 * Input that may wait for a program that does not read it. Who attaches keeps no more on its way: everything else that it
 * says is then heard, above all what it acknowledges.
 */
#define TYPING_BYTES ((size_t)256 * 1024)

struct input {
    unsigned char typing[TYPING_BYTES]; /* what the program has not taken yet: from `at` to `end` */
    size_t at, end;
    uint64_t taken, taken_before, taken_told; /* of all input; when a server attached; as it knows */
    int is_ended;                             /* whether no more may come */
};

size_t input_waiting(const struct input *input);
size_t input_room(const struct input *input);
/* Takes a frame's bytes, for which there has to be room. */
void input_add(struct input *input, const struct frame *frame);
/* A server attached: what is taken is counted anew. */
void input_resume(struct input *input);
/* Gives the program what it takes. Answers -1 when it will never take more, else 0. */
int input_write(struct input *input, int fd);
/* Nobody has the other side open, and nobody may ever again: what waits is not kept for them. */
void input_drop(struct input *input);
/* Says how much was taken, where that is worth a frame. */
void input_tell(struct input *input, struct connection *connection);

#endif
