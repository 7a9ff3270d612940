/* Work in a process of its own, which costs this one nothing when it dies. */
#ifndef WI_STUDY_FOLDER_APART_H
#define WI_STUDY_FOLDER_APART_H

#include <stddef.h>
#include <sys/types.h>

#include "study/plan/study.h"

/*
 * Begin a process for `work`. It ends when this one does, leaves signals of the keyboard to it, and has no hold on the
 * study's journal. -1: there is none, and errno says why.
 */
pid_t wi_apart_fork(const weir_study *s, void (*work)(void *user), void *user);

/*
 * Have `work` done, and wait for it; it fills `out` [bytes], which stays as it is where the process dies, takes longer than
 * options->run_timeout_s, or is stopped. Returns whether it came to its end.
 */
bool wi_apart(const weir_study *s, void (*work)(void *user), void *user, void *out, size_t bytes,
              const weir_study_options *options);

#endif
