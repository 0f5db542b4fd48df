/*
 * The frames between a backend and a relay, over the relay's standard input and output. A frame has one byte for its type,
 * four for the number of its stream, two for the length of its payload (all big-endian), and so many bytes.
 *
 * Each side sends at most WINDOW_BYTES of a stream that the other side has not told to be consumed.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define HEADER_BYTES 7
#define MAX_PAYLOAD_BYTES 16384
#define WINDOW_BYTES 65536
/* Connections at the same time. One more is closed at once. */
#define STREAMS 32

/* From the relay. */
#define FRAME_READY 'r' /* it listens; the first frame; its stream is 0 */
#define FRAME_OPEN 'o'  /* a new connection; numbers of streams only grow, from 1 */
/* Both ways. */
#define FRAME_DATA 'd'
#define FRAME_END 'e'   /* the sender has no more data of this stream */
#define FRAME_CLOSE 'c' /* nothing of this stream is sent or expected any more */
#define FRAME_ROOM 'w'  /* the payload, four bytes: how many more bytes were consumed */

static inline void put_number(unsigned char *to, uint32_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

static inline uint32_t get_number(const unsigned char *from, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | from[i];
    return value;
}

#endif
