/* The relay's socket, as programs in the container use it. */
#ifndef DOOR_H
#define DOOR_H

#include <stdbool.h>
#include <stddef.h>

/* Connects. Tries again for so many tenths of a second while there is no relay. -1: there is none. */
int connect_to_relay(int patience_tenths);

/* Finds the session that this program belongs to. Some CLIs start their programs without it, so it is read from the CLI, too. */
void find_session(void);

/*
 * Sends a JSON text in a request of HTTP/1.0, so that the answer has no chunks and ends with the connection. False: the
 * connection has ended.
 */
bool send_request(int fd, const char *path, const char *message, size_t length);

#endif
