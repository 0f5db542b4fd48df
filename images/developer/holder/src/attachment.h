/* The server that is attached: what it is told, and what it asks for. */
#ifndef ATTACHMENT_H
#define ATTACHMENT_H

#include "door.h"
#include "state.h"

/* It takes over from the one that is attached, if any. */
void attachment_begin(struct holder *holder, const struct knock *knock);
/* Lets in the server at the door. */
void attachment_answer_door(struct holder *holder);
void attachment_end(struct holder *holder, char reason);
/* Does what has come so far, as far as there is room for its input. */
void attachment_obey(struct holder *holder);
/* Reads what came, and does it. */
void attachment_receive(struct holder *holder);
/* Gives the program the input that waits for it. */
void attachment_write_input(struct holder *holder);
void attachment_end_session(struct holder *holder);

#endif
