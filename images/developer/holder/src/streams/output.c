#include "streams/output.h"

#include <errno.h>
#include <unistd.h>

/* Most bytes to read before they are sent. This gathers small reads into large writes, and delays no client. */
#define GATHER_BYTES ((size_t)128 * 1024)

int output_open(struct output *output, size_t bytes) {
    *output = (struct output){.full_at = -1, .is_empty = 1};
    return log_open(&output->log, bytes);
}

uint64_t output_resume(struct output *output, uint64_t offset) {
    const struct log *log = &output->log;
    uint64_t from = offset > log->end ? log->end : offset < log->start ? log->start : offset;
    output->acknowledged = from;
    output->full_at = -1;
    output->is_dropping = 0;
    return from;
}

int output_is_full(const struct output *output) {
    return !output->is_dropping && output->log.end - output->acknowledged >= output->log.bytes;
}

int output_read(struct output *output, int fd, int64_t now) {
    struct log *log = &output->log;
    size_t gathered = 0;
    int is_over = 0;
    while (!is_over && gathered < GATHER_BYTES && !output_is_full(output)) {
        size_t limit = output->is_dropping ? log->bytes : log->bytes - (size_t)(log->end - output->acknowledged);
        struct iovec room = log_room(log, limit);
        ssize_t length = read(fd, room.iov_base, room.iov_len);
        output->is_empty = length < 0 && errno == EAGAIN;
        if (length > 0) {
            log_add(log, (size_t)length);
            gathered += (size_t)length;
            continue;
        }
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) break;
        /* The end of a pipe, or EIO of a terminal: no process has the other side open any more. */
        is_over = 1;
    }
    if (!output_is_full(output)) output->full_at = -1;
    else if (output->full_at < 0) output->full_at = now;
    return is_over ? -1 : 0;
}

void output_acknowledge(struct output *output, uint64_t offset, uint64_t sent) {
    if (offset > output->acknowledged && offset <= sent) output->acknowledged = offset;
}
