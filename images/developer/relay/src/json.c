#include "json.h"

#include <stdbool.h>
#include <string.h>

/* The end of a text that begins at a quotation mark: what follows its last quotation mark, or the end of all. */
static const char *after_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *after_blanks(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* The end of a value: the next comma or bracket that does not belong to it. */
static const char *after_value(const char *at) {
    for (size_t depth = 0; *at;) {
        if (*at == '"') {
            at = after_string(at);
            continue;
        }
        if (depth == 0 && strchr(",}]", *at)) break;
        if (strchr("{[", *at)) depth++;
        if (strchr("}]", *at)) depth--;
        at++;
    }
    return at;
}

struct text json_field(const char *json, const char *name) {
    const struct text none = {.from = json, .length = 0};
    const char *at = after_blanks(json);
    if (*at != '{') return none;
    for (at = after_blanks(at + 1); *at == '"'; at = after_blanks(at + 1)) {
        const char *key = at + 1;
        at = after_string(at);
        size_t length = (size_t)(at - key - 1);
        bool is_it = length == strlen(name) && memcmp(key, name, length) == 0;
        at = after_blanks(at);
        if (*at != ':') return none;
        const char *value = after_blanks(at + 1);
        at = after_value(value);
        if (is_it) {
            while (at > value && strchr(" \t\r\n", at[-1])) at--;
            return (struct text){.from = value, .length = (size_t)(at - value)};
        }
        if (*at != ',') return none;
    }
    return none;
}
