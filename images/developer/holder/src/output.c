#include "output.h"

#include <errno.h>
#include <unistd.h>

static size_t room(const struct output *output) {
    uint64_t kept = output->log.end - output->acknowledged;
    return kept >= output->log.size ? 0 : output->log.size - (size_t)kept;
}

int output_is_full(const struct output *output) { return room(output) == 0; }

void output_read(struct output *output, struct program *program, int stream, size_t limit, int is_dropping) {
    size_t gathered = 0;
    while (program->outs[stream] >= 0 && gathered < limit) {
        size_t most = is_dropping ? output->log.size : room(output);
        if (most == 0) return;
        struct iovec space = log_room(&output->log, most);
        ssize_t length = read(program->outs[stream], space.iov_base, space.iov_len);
        output->is_empty = length < 0 && errno == EAGAIN;
        if (length > 0) {
            log_add(&output->log, (size_t)length);
            gathered += (size_t)length;
            continue;
        }
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
        /* The end of a pipe; of a terminal EIO: no process has the other side open. */
        program_close_output(program, stream);
    }
}
