/* The attached server: frames to it, and frames from it. */
#ifndef ATTACHMENT_H
#define ATTACHMENT_H

#include "server/door.h"
#include "state.h"

/* Attaches a server, which replaces the attached one, if any. */
void attachment_begin(struct holder *holder, const struct knock *knock);
/* Lets in the server that waits at the door. */
void attachment_answer_door(struct holder *holder);
void attachment_end(struct holder *holder, char reason);
/* Handles the frames that have come, as far as there is room for their input. */
void attachment_obey(struct holder *holder);
/* Reads frames and handles them. */
void attachment_receive(struct holder *holder);
/* Writes waiting input to the program. */
void attachment_write_input(struct holder *holder);
void attachment_end_session(struct holder *holder);

#endif
