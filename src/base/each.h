/* Items handled by several threads. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Call item(user, i) for each i in [from, end), each once, by up to `threads` threads (0: 1), the caller's among them; a
 * thread that is done takes the next. Where the system gives no more threads, fewer do all of it. */
void wi_each(uint32_t threads, uint32_t from, uint32_t end, void (*item)(void *user, uint32_t i), void *user);

#ifdef __cplusplus
}
#endif
