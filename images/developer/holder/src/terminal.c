#include "terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "anchor.h"
#include "processes.h"

/* Between two times that it is continued: bounds what a program costs that stops itself again at once. */
#define CONTINUE_EVERY_MS 100

void terminal_resize(struct program *program, uint16_t cols, uint16_t rows) {
    if (cols == 0 || rows == 0 || !program->is_terminal || program->in < 0) return;
    struct winsize size = {.ws_col = cols, .ws_row = rows};
    if (ioctl(program->in, TIOCSWINSZ, &size) != 0) return;
    program->cols = cols;
    program->rows = rows;
}

int terminal_has_stopped_member(const struct program *program) {
    if (program->exited || program->in < 0) return 0;
    /* If another group has the terminal, there is job control. */
    return tcgetpgrp(program->in) == program->leader && processes_have_stopped(program->leader);
}

int terminal_continue(struct program *program, int64_t now) {
    if (!program->stopped) return -1;
    int64_t due = program->continued_at + CONTINUE_EVERY_MS;
    if (now < due) return (int)(due - now);
    /* It used a terminal that another group has, which may be gone. Like a shell's `fg`, this gives the terminal back first. */
    static const char foreground = ANCHOR_FOREGROUND;
    if (program->stopped == SIGTTIN || program->stopped == SIGTTOU) (void)!write(program->anchor, &foreground, 1);
    program->stopped = 0;
    program->continued_at = now;
    kill(-program->leader, SIGCONT);
    return -1;
}
