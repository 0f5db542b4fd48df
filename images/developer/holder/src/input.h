/* Input that the program has not read yet. */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "program.h"

/*
 * Input that may wait for a program that does not read it. A backend keeps no more on its way: so everything else that it says
 * is heard, above all what it acknowledges.
 */
#define INPUT_BYTES ((size_t)256 * 1024)

struct input {
    unsigned char bytes[INPUT_BYTES]; /* what waits, from `at` to `end` */
    size_t at, end;
    uint64_t taken; /* of all input: what was written or dropped */
    int is_ended;   /* no more follows */
};

size_t input_waiting(const struct input *input);
size_t input_room(const struct input *input);
/* At most as much as there is room for. */
void input_add(struct input *input, const unsigned char *bytes, size_t length);
/* Writes what the program takes now. Closes its input once nothing waits and no more follows. */
void input_write(struct input *input, struct program *program);
/* Nothing reads it any more. */
void input_drop(struct input *input);

#endif
