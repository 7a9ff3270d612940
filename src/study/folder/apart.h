/* Work in a process of its own, which costs this one nothing when it dies. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "study/plan/study.h"

/* Whether a forked process may make threads. The thread sanitizer ends one that does. */
#ifdef __SANITIZE_THREAD__
enum { WI_APART = 0 };
#else
enum { WI_APART = 1 };
#endif

/* Starts a process that does `work`. The process ends when this one does, ignores signals of the keyboard,
 * and does not hold the study's journal. `on_fault` handles its faults (SIGSEGV and the like); SIG_DFL: they end it.
 * Returns -1 and sets errno on failure. */
pid_t wi_apart_fork(const weir_study *s, void (*work)(void *user), void *user, void (*on_fault)(int number));

/* Does `work` in a process of its own, and waits for it. `work` fills `out` [bytes]; that stays unchanged
 * where the process dies, takes longer than options->run_timeout_s, or is stopped. Returns whether it ended
 * well. */
bool wi_apart(const weir_study *s, void (*work)(void *user), void *user, void *out, size_t bytes,
              const weir_study_options *options);
