#include "streams/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How much consumed input is reported at once. Single keys cause no frames. */
#define TELL_TAKEN_BYTES ((size_t)32 * 1024)

size_t input_waiting(const struct input *input) { return input->end - input->at; }

size_t input_room(const struct input *input) { return TYPING_BYTES - input_waiting(input); }

void input_add(struct input *input, const struct frame *frame) {
    if (input->is_ended) {
        input->taken += frame->length;
        return;
    }
    if (input->end + frame->length > TYPING_BYTES) {
        input->end -= input->at;
        memmove(input->typing, input->typing + input->at, input->end);
        input->at = 0;
    }
    memcpy(input->typing + input->end, frame->payload, frame->length);
    input->end += frame->length;
}

void input_resume(struct input *input) { input->taken_before = input->taken_told = input->taken; }

int input_write(struct input *input, int fd) {
    while (input_waiting(input) > 0) {
        ssize_t length = fd < 0 ? -1 : write(fd, input->typing + input->at, input_waiting(input));
        if (fd >= 0 && length < 0 && errno == EAGAIN) break;
        if (fd >= 0 && length < 0 && errno == EINTR) continue;
        if (length < 0) {
            input_drop(input);
            return -1;
        }
        input->at += (size_t)length;
        input->taken += (uint64_t)length;
    }
    if (input->at == input->end) input->at = input->end = 0;
    return 0;
}

void input_drop(struct input *input) {
    input->taken += input_waiting(input);
    input->at = input->end = 0;
}

void input_tell(struct input *input, struct connection *connection) {
    /* Half of the room is reserved for notices that are sent only once. */
    int has_room = connection->notices_bytes < NOTICES_BYTES / 2;
    if (input->taken - input->taken_told < TELL_TAKEN_BYTES || !has_room) return;
    unsigned char count[OFFSET_BYTES];
    put_number(count, input->taken - input->taken_before, sizeof count);
    connection_say(connection, FRAME_TAKEN, count, sizeof count);
    input->taken_told = input->taken;
}
