/* What is read of JSON: where two values of an object are. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

struct text {
    const char *from;
    size_t length;
};

/* The value of a field of the outermost object, as it is written; without it, of length 0. */
struct text json_field(const char *json, const char *name);

#endif
