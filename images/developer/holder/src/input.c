#include "input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t input_waiting(const struct input *input) { return input->end - input->at; }

size_t input_room(const struct input *input) { return INPUT_BYTES - input_waiting(input); }

void input_add(struct input *input, const unsigned char *bytes, size_t length) {
    if (input->end + length > INPUT_BYTES) {
        input->end -= input->at;
        memmove(input->bytes, input->bytes + input->at, input->end);
        input->at = 0;
    }
    memcpy(input->bytes + input->end, bytes, length);
    input->end += length;
}

void input_drop(struct input *input) {
    input->taken += input_waiting(input);
    input->at = input->end = 0;
}

void input_write(struct input *input, struct program *program) {
    while (input->at < input->end) {
        if (program->in < 0) break;
        ssize_t length = write(program->in, input->bytes + input->at, input_waiting(input));
        if (length < 0 && errno == EAGAIN) return;
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) break;
        input->at += (size_t)length;
        input->taken += (uint64_t)length;
    }
    /* What is left has no reader, and may never have one again. */
    input_drop(input);
    if (input->is_ended) program_close_input(program);
}
