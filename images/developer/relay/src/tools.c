/*
 * slipway-tools
 *
 * An MCP server on standard input and output, for coding CLIs in the container. Each message becomes one HTTP request to
 * the relay's socket (Streamable HTTP), and the messages of its answer become lines. It knows neither the tools nor who
 * asks, and keeps nothing between two messages. So it goes on after the backend was restarted.
 */
#include "door.h"
#include "json.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages that are answered at the same time. The next one waits. */
#define AT_ONCE 16
/* How long a message waits for a relay, in tenths of a second: longer than the backend takes to restart. */
#define PATIENCE_TENTHS 450
/* Memory of a thread's stack, in bytes. */
#define STACK_BYTES 65536

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static sem_t places;

static void put_line(const char *line, size_t length) {
    pthread_mutex_lock(&output);
    fwrite(line, 1, length, stdout);
    fputc('\n', stdout);
    /* The client is gone. */
    if (fflush(stdout) != 0) exit(0);
    pthread_mutex_unlock(&output);
}

/* Answers a request with an error. `why` is the inside of a JSON string. */
static void put_error(struct text id, const char *why, size_t length) {
    char *line;
    int size = asprintf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32000,\"message\":\"%.*s\"}}",
                        (int)id.length, id.from, (int)length, why);
    if (size < 0) exit(1);
    put_line(line, (size_t)size);
    free(line);
}

/*
 * Writes the messages of an answer: a JSON text of one line, or events whose data are such texts. An answer that is no
 * message says why the request was refused. Returns whether the request `id` was answered.
 */
static bool take_answer(FILE *answer, struct text id) {
    char *line = NULL;
    size_t capacity = 0;
    bool is_body = false, is_answered = false;
    for (ssize_t length; (length = getline(&line, &capacity, answer)) >= 0;) {
        while (length > 0 && strchr("\r\n", line[length - 1])) line[--length] = '\0';
        if (!is_body) {
            is_body = length == 0;
            continue;
        }
        const char *text = strncmp(line, "data: ", 6) == 0 ? line + 6 : line;
        if (*text != '{') continue;
        struct text why = json_field(text, "message");
        if (json_field(text, "jsonrpc").length > 0) {
            put_line(text, strlen(text));
            is_answered |= json_field(text, "id").length > 0;
        } else if (why.length > 1 && id.length > 0) {
            put_error(id, why.from + 1, why.length - 2);
            is_answered = true;
        }
    }
    free(line);
    return is_answered;
}

static void *exchange(void *argument) {
    static const char AWAY[] = "Slipway does not answer. The tools of this agent may be switched off.";
    static const char LOST[] = "The connection to Slipway was lost. What was asked for may have begun: list_task_results has the tasks.";
    char *message = argument;
    struct text id = json_field(message, "id");
    int fd = connect_to_relay(PATIENCE_TENTHS);
    if (fd < 0) {
        if (id.length > 0) put_error(id, AWAY, sizeof AWAY - 1);
    } else {
        FILE *answer = fdopen(fd, "r");
        if (!answer) exit(1);
        bool is_answered = send_request(fd, "mcp", message, strlen(message)) && take_answer(answer, id);
        if (id.length > 0 && !is_answered) put_error(id, LOST, sizeof LOST - 1);
        fclose(answer);
    }
    free(message);
    sem_post(&places);
    return NULL;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    find_session();
    sem_init(&places, 0, AT_ONCE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line == '\0') continue;
        while (sem_wait(&places) != 0) continue;
        char *message = strdup(line);
        pthread_t thread;
        if (!message || pthread_create(&thread, &attributes, exchange, message) != 0) exit(1);
    }
    /* What has been asked is still answered. */
    for (int i = 0; i < AT_ONCE; i++)
        while (sem_wait(&places) != 0) continue;
    return 0;
}
