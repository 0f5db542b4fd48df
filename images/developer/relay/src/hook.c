/*
 * hook
 *
 * The hook of Claude Code, from the managed settings of the image. It takes Claude's message on standard input to Slipway, and
 * prints the answer, which is for Claude. Claude waits for it before each command. What the message means is for the server.
 */
#include "door.h"
#include "json.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Longest message, and longest answer, in bytes. The server takes no longer one. */
#define MESSAGE_BYTES 1048576
/*
 * How long a command waits for a server that does not answer, in seconds, if Claude would run it without asking: longer than
 * an update of the server takes.
 */
#define AWAY_SECONDS 600
/* Longest time until an answer comes, in seconds: longer than the server waits for a person in one request. */
#define ANSWER_SECONDS 90
/* Time between two requests to a server that does not answer, in milliseconds. */
#define AGAIN_MS 500
/* How long a command waits for a person, in seconds. Claude would run it when it has waited for a week (see the settings). */
#define PERSON_SECONDS 600000

static char message[MESSAGE_BYTES + 1];
static char answer[MESSAGE_BYTES + 1];

static time_t seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) exit(2);
    return now.tv_sec;
}

static bool is_text(const char *field, const char *text) {
    struct text value = json_field(message, field);
    return value.length == strlen(text) + 2 && memcmp(value.from + 1, text, value.length - 2) == 0;
}

/* Programs that change nothing but the files that they are given, and what else a command without a doubt may have. */
static const char *const PLAIN[] = {"cat", "date", "echo", "false", "grep", "head", "ls", "mkdir",
                                    "pwd", "sleep", "tail", "test", "touch", "true", "wc"};
#define PLAIN_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./:=,@%+->"

/*
 * Whether the command needs no grading: one program of the list above, with words that no shell reads as something else, and a
 * file at most. It is for the time without a server, so that a task goes on with commands about which the server asks no user.
 */
static bool is_plain(void) {
    struct text command = json_field(json_field(message, "tool_input").from, "command");
    /* With its quotation marks. An escape of JSON is no plain character. */
    if (command.length < 3 || command.from[0] != '"') return false;
    const char *from = command.from + 1;
    size_t length = command.length - 2;
    if (strspn(from, PLAIN_CHARACTERS) != length || strstr(from, "/dev/") != NULL) return false;
    size_t word = strcspn(from, " \"");
    for (size_t at = 0; at < sizeof PLAIN / sizeof *PLAIN; at++)
        if (word == strlen(PLAIN[at]) && memcmp(from, PLAIN[at], word) == 0) return true;
    return false;
}

static void deny(const char *why) {
    printf("{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\","
           "\"permissionDecisionReason\":\"%s\"}}\n",
           why);
}

static size_t read_all(int fd, char *bytes) {
    size_t length = 0;
    for (ssize_t more; length < MESSAGE_BYTES; length += (size_t)more)
        if ((more = read(fd, bytes + length, MESSAGE_BYTES - length)) <= 0) break;
    bytes[length] = '\0';
    return length;
}

/* The path of a question with a new id. The same path again waits for the same answer. */
static void choose_path(char *path, size_t size) {
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) exit(2);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    snprintf(path, size, "hook/%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
             b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* Sends the message. The status of the answer, whose body is then in `answer`; 0 without one. */
static int ask(const char *path, size_t length) {
    int fd = connect_to_relay(0);
    if (fd < 0) return 0;
    struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) exit(2);
    size_t answered = send_request(fd, path, message, length) ? read_all(fd, answer) : 0;
    close(fd);
    char *body = strstr(answer, "\r\n\r\n");
    int status = 0;
    if (answered == 0 || !body || sscanf(answer, "HTTP/%*d.%*d %d", &status) != 1) return 0;
    memmove(answer, body + 4, strlen(body + 4) + 1);
    return status;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    find_session();
    char path[64];
    choose_path(path, sizeof path);
    size_t length = read_all(STDIN_FILENO, message);
    /* Otherwise Claude asks by itself, or nothing waits for the answer. A message that was cut says nothing. */
    bool is_cut = length == MESSAGE_BYTES;
    bool must_ask = is_cut || (is_text("hook_event_name", "PreToolUse") && is_text("permission_mode", "bypassPermissions"));
    time_t began = seconds(), heard = began;
    for (;;) {
        int status = ask(path, length);
        if (status == 200) return fputs(answer, stdout) < 0;
        if (status != 202 && !must_ask) return 0;
        if (status == 0 && !is_cut && is_plain()) return 0;
        if (status >= 300 && status < 500) return deny("Slipway does not take this command. It may be too long."), 0;
        if (status == 202) heard = seconds();
        if (seconds() - heard > AWAY_SECONDS)
            return deny("Slipway does not answer, so people cannot be asked about this command. Try it later."), 0;
        if (seconds() - began > PERSON_SECONDS) return deny("No user has answered."), 0;
        if (status != 202) nanosleep(&(struct timespec){.tv_nsec = AGAIN_MS * 1000000L}, NULL);
    }
}
