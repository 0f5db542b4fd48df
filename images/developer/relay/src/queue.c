#include "queue.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

void queue_put(struct queue *queue, const void *bytes, size_t length) {
    size_t at = (queue->from + queue->length) % queue->capacity;
    size_t first = queue->capacity - at < length ? queue->capacity - at : length;
    memcpy(queue->bytes + at, bytes, first);
    memcpy(queue->bytes, (const unsigned char *)bytes + first, length - first);
    queue->length += length;
}

long queue_write(struct queue *queue, int fd) {
    if (queue->length == 0) return 0;
    size_t first = queue->capacity - queue->from;
    if (first > queue->length) first = queue->length;
    struct iovec pieces[] = {{.iov_base = queue->bytes + queue->from, .iov_len = first},
                             {.iov_base = queue->bytes, .iov_len = queue->length - first}};
    ssize_t written = writev(fd, pieces, 2);
    if (written < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    queue->from = (queue->from + (size_t)written) % queue->capacity;
    queue->length -= (size_t)written;
    return written;
}
