/* Bytes that wait to be written, up to a bound. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stddef.h>

struct queue {
    unsigned char *bytes;
    size_t capacity, from, length;
};

static inline size_t queue_room(const struct queue *queue) {
    return queue->capacity - queue->length;
}

/* The caller has looked for room. */
void queue_put(struct queue *queue, const void *bytes, size_t length);

/* Writes as much as the descriptor takes. Returns how much, or -1 if it takes nothing any more. */
long queue_write(struct queue *queue, int fd);

#endif
