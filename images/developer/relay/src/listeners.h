/* What listens for TCP connections in this container. */
#ifndef LISTENERS_H
#define LISTENERS_H

#include <stddef.h>

/*
 * Writes a JSON array: port, address, and where a process of this user has it, its pid, its start in seconds since 1970
 * and its command. Returns its length. What has no room is left out.
 */
size_t list_listeners(char *json, size_t capacity);

#endif
