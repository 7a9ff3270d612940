/*
 * Messages of wi_ranks.send and wi_ranks.take over MPI: whoever sends one goes on at once, as the other may have died
 * without anybody's notice yet.
 */
#ifndef WI_ENGINE_RANKS_MESSAGE_H
#define WI_ENGINE_RANKS_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

void wi_message_send(const void *data, size_t bytes, uint32_t to);
size_t wi_message_take(void *data, uint32_t *from);
/* Wait until all that was sent has been taken. */
void wi_messages_end(void);

#endif
