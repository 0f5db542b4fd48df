/* What a program on a terminal needs besides: its size, and the job control that no shell does for it. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdint.h>

#include "program.h"

void terminal_resize(struct program *program, uint16_t cols, uint16_t rows);
/*
 * Whether a process of the leader's group has stopped by itself, of which the kernel tells only that process's parent. Looks
 * at all processes.
 */
int terminal_has_stopped_member(const struct program *program);
/*
 * Continues the leader's group if it has stopped: no shell has it as a job, so nothing else does. At once, but not without
 * pause if it stops again. Answers in how many ms it wants to be called again; -1: there is no need.
 */
int terminal_continue(struct program *program, int64_t now);

#endif
