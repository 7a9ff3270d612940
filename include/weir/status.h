/**
 * Status codes, and the collector of messages that goes with them.
 *
 * Every call that can fail returns a weir_status and puts what went wrong (what was wanted, the offending
 * value, file, line and column) into the weir_diag it was given. The library itself never prints, exits or
 * aborts. A weir_diag may be null: then the text is lost and the code remains. A weir_diag belongs to one
 * thread at a time.
 */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/fn.h"

typedef enum weir_status {
    WEIR_OK = 0,
    WEIR_E_ARG,         /**< an argument of the call is out of its documented range: a caller's mistake */
    WEIR_E_NOMEM,       /**< memory could not be had; the message says how much was wanted */
    WEIR_E_IO,          /**< a file or folder could not be read or written */
    WEIR_E_FORMAT,      /**< a file's content is not what its format allows */
    WEIR_E_SCENARIO,    /**< a scenario asks for something that does not exist or does not go together */
    WEIR_E_UNSUPPORTED, /**< this build, or this machine, lacks what was asked for */
    WEIR_E_MODEL,       /**< a model broke the model contract: a delay below the lookahead, too many events */
    WEIR_E_CHECK,       /**< a check that must hold in every run did not hold: a bug in weir */
    WEIR_E_INTERRUPTED, /**< stopped on request, at a consistent point */
    WEIR_E_DEVICE,      /**< the accelerator failed */
    WEIR_E_DEADLOCK     /**< programs wait for each other and cannot go on; results are whole and say so */
} weir_status;

/** The name of a status, such as "WEIR_E_IO"; never null. */
WEIR_API const char *weir_status_name(weir_status status);

typedef enum weir_severity { WEIR_NOTE, WEIR_WARNING, WEIR_ERROR } weir_severity;

typedef struct weir_message {
    weir_severity severity;
    weir_status status; /**< WEIR_OK for notes and warnings */
    const char *file;   /**< null where the message belongs to no file */
    int line;           /**< 1-based; 0: none */
    int column;         /**< 1-based; 0: none */
    const char *text;   /**< without position and without a line break */
} weir_message;

typedef struct weir_diag weir_diag;

/** An empty collector, or null when memory is short. The caller frees it with weir_diag_free. */
WEIR_API weir_diag *weir_diag_new(void);
/** Free a list of messages; accepts null. */
WEIR_API void weir_diag_free(weir_diag *diag);
/** Forget all messages, so that the list can serve again. */
WEIR_API void weir_diag_clear(weir_diag *diag);

/**
 * A word that asks long calls to give up when it is non-zero (null: none): those that set a simulation up
 * look at it and return WEIR_E_INTERRUPTED. weir_run sets it to its own option while it works. The word stays
 * the caller's.
 */
WEIR_API void weir_diag_set_stop(weir_diag *diag, const volatile int *stop);
/** The word that weir_diag_set_stop gave; null where there is none. */
WEIR_API const volatile int *weir_diag_stop(const weir_diag *diag);
/** Has the caller been asked to give up? */
WEIR_API bool weir_diag_stopped(const weir_diag *diag);

/** Number of messages kept, of any severity. At most 1,000 are kept; weir_diag_dropped tells how many were
 * not. */
WEIR_API size_t weir_diag_count(const weir_diag *diag);
/** How many messages were dropped because the list was full. */
WEIR_API size_t weir_diag_dropped(const weir_diag *diag);
/** Number of error messages, kept or not. */
WEIR_API size_t weir_diag_errors(const weir_diag *diag);
/** Message `i` in order of arrival; valid until the collector is changed. Null when out of range. */
WEIR_API const weir_message *weir_diag_get(const weir_diag *diag, size_t i);
/** Writes "file:line:column: severity: text" into `out`, as snprintf does. */
WEIR_API int weir_message_format(const weir_message *message, char *out, size_t size);

/** Where a value came from. From --set, `file` is the option's text ("--set traffic.bulk.start=1s") and line
 * is 0. */
typedef struct weir_place {
    const char *file; /**< null: not written by the user, a default */
    int line, column; /**< 1-based */
} weir_place;

/** What weir_fail_at and weir_warn_at take of a place. */
#define WEIR_AT(place) (place).file, (place).line, (place).column

/** Add an error and return its status, so that a call can end with `return weir_fail(...)`. */
WEIR_API weir_status weir_fail(weir_diag *diag, weir_status status, const char *fmt, ...) WEIR_PRINTF(3, 4);
/**
 * Add an error with its place in a file (line and column from 1; 0: not known) and return `status`. Null
 * diag: no message.
 */
WEIR_API weir_status weir_fail_at(weir_diag *diag, weir_status status, const char *file, int line, int column,
                                  const char *fmt, ...) WEIR_PRINTF(6, 7);
/** Add a warning, unless the same one is there. Null diag: no message. */
WEIR_API void weir_warn(weir_diag *diag, const char *fmt, ...) WEIR_PRINTF(2, 3);
/** Add a warning with its place in a file, unless the same one is there. Null diag: no message. */
WEIR_API void weir_warn_at(weir_diag *diag, const char *file, int line, int column, const char *fmt, ...)
    WEIR_PRINTF(5, 6);
/** Add a note: something worth knowing that is no fault. Null diag: no message. */
WEIR_API void weir_note(weir_diag *diag, const char *fmt, ...) WEIR_PRINTF(2, 3);

#endif
