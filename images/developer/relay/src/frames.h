/*
 * The frames between a backend and a program that carries connections (relay, dial), over the program's standard input and
 * output. A frame has one byte for its type, four for the number of its stream, two for the length of its payload (all
 * big-endian), and so many bytes.
 *
 * Each side sends only so much of a stream that the other side has not told to be consumed: at most WINDOW_BYTES to the
 * program, and at most SENT_WINDOW_BYTES from it, because each acknowledgement passes the engine.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

#define HEADER_BYTES 7
#define MAX_PAYLOAD_BYTES 16384
#define WINDOW_BYTES 65536
#define SENT_WINDOW_BYTES 262144
/* Connections of a relay at the same time. One more is closed at once. */
#define STREAMS 32
/* The same of dial: a page asks for much at once. */
#define DIALLED 128

/* From the program. */
#define FRAME_READY 'r' /* it is ready; the first frame; its stream is 0 */
#define FRAME_OPEN 'o'  /* there is a connection. In a relay: a new one, whose numbers only grow, from 1 */
/* To dial, which answers. */
#define FRAME_DIAL 'p'  /* connect to a port, two bytes, with the number of a new stream. Answer: OPEN, or CLOSE */
#define FRAME_LIST 'l'  /* what listens? The stream is 0. Answer: the same type, with a JSON text */
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
