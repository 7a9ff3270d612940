/* Lines of the journal. */
#ifndef WI_STUDY_RUNS_JOURNAL_H
#define WI_STUDY_RUNS_JOURNAL_H

#include "study/study.h"

#define WI_JOURNAL "journal.jsonl"

/* Malloc'ed, without a line feed; null when memory is short. */
char *wi_journal_line(const weir_study *s, wi_job job, const wi_row *row);

#endif
