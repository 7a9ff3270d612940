/*
 * The folder of a study: study.yaml, the journal of finished runs, the tables, and on request a folder a run.
 *
 * Unlike the results of a run it is there from the beginning, and always such that the study can go on from it:
 * study.yaml and the tables appear whole (written beside, synced, renamed), the journal grows by whole lines, and a
 * line that was cut off is forgotten.
 */
#pragma once

#include "study/plan/study.h"

typedef struct wi_folder wi_folder;

/*
 * Make the folder, or take one that holds the same study, and fill the points with the rows of its journal. The
 * journal is locked until wi_folder_close. WEIR_E_ARG where the folder holds something else, a study of another
 * scenario (the message names the keys), or is in use; WEIR_E_IO, WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_folder_open(weir_study *s, const weir_study_options *options, wi_folder **out);
/* Write study.yaml: from here on the folder is of this plan. WEIR_E_IO, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_folder_put_plan(wi_folder *folder, const weir_study *s);
/* Opens a folder that another process has open: only for the folders of runs, without the journal. */
WEIR_NODISCARD weir_status wi_folder_join(weir_study *s, const weir_study_options *options, wi_folder **out);
/* Accepts null. */
void wi_folder_close(wi_folder *folder);
/* Called in a new process: leaves the journal and its lock to the process that started it. Accepts null. */
void wi_folder_leave(wi_folder *folder);
/* Where a study with these options goes: malloc'ed, null when memory is short. */
char *wi_folder_name(const weir_study *s, const weir_study_options *options);
/* Returns the path of the folder. */
const char *wi_folder_path(const wi_folder *folder);

/* The keys in which the scenario of another study's folder differs from this one's, as text; empty: it is the same, whatever
 * their study sections. WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_folder_differences(const weir_study *s, const char *folder, char *keys,
                                                 size_t size);

/* Append a row to the journal. One thread at a time. */
WEIR_NODISCARD weir_status wi_folder_add(wi_folder *folder, const weir_study *s, weir_diag *diag, wi_job job,
                                         const wi_row *row);
#define WI_JOURNAL "journal.jsonl"
/* Runs that failed and are not tried again: none; those whose process died or that took too long; all. */
typedef enum wi_failed { WI_FAILED_NONE, WI_FAILED_DEAD, WI_FAILED_ALL } wi_failed;
/* Read the journal of a folder into the points of a study: rows that fit, of runs that succeeded, and of those that failed
 * and are not tried again. A row that succeeded goes before one that failed. WEIR_E_IO, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_journal_load(weir_study *s, const char *folder, wi_failed failed);

/* Finds where a run writes its results, and removes what stands there: malloc'ed, null where it writes none. */
WEIR_NODISCARD weir_status wi_folder_of_run(wi_folder *folder, weir_diag *diag, bool tables, wi_job job,
                                            uint64_t key, char **out);
/* Removes the results of a run that is over, unless they are to be kept. */
void wi_folder_run_done(wi_folder *folder, const char *path);

#define WI_RUNNING "running" /* folder of runs that are under way */
