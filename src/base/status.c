/* The message collector behind weir/status.h. */
#include "weir/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 1000, TEXT_MAX = 2000 };

struct weir_diag {
    weir_message *messages;
    size_t count, capacity, dropped, errors;
    const volatile int *stop;
};

const char *weir_status_name(weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return "WEIR_OK";
    case WEIR_E_ARG:
        return "WEIR_E_ARG";
    case WEIR_E_NOMEM:
        return "WEIR_E_NOMEM";
    case WEIR_E_IO:
        return "WEIR_E_IO";
    case WEIR_E_FORMAT:
        return "WEIR_E_FORMAT";
    case WEIR_E_SCENARIO:
        return "WEIR_E_SCENARIO";
    case WEIR_E_UNSUPPORTED:
        return "WEIR_E_UNSUPPORTED";
    case WEIR_E_MODEL:
        return "WEIR_E_MODEL";
    case WEIR_E_CHECK:
        return "WEIR_E_CHECK";
    case WEIR_E_INTERRUPTED:
        return "WEIR_E_INTERRUPTED";
    case WEIR_E_DEVICE:
        return "WEIR_E_DEVICE";
    case WEIR_E_DEADLOCK:
        return "WEIR_E_DEADLOCK";
    }
    return "unknown status";
}

weir_diag *weir_diag_new(void)
{
    return calloc(1, sizeof(weir_diag));
}

void weir_diag_set_stop(weir_diag *diag, const volatile int *stop)
{
    if (diag)
        diag->stop = stop;
}

const volatile int *weir_diag_stop(const weir_diag *diag)
{
    return diag ? diag->stop : NULL;
}

bool weir_diag_stopped(const weir_diag *diag)
{
    return diag && diag->stop && *diag->stop;
}

void weir_diag_clear(weir_diag *diag)
{
    if (!diag)
        return;
    for (size_t i = 0; i < diag->count; i++) {
        free((char *)diag->messages[i].text);
        free((char *)diag->messages[i].file);
    }
    diag->count = diag->dropped = diag->errors = 0;
}

void weir_diag_free(weir_diag *diag)
{
    if (!diag)
        return;
    weir_diag_clear(diag);
    free(diag->messages);
    free(diag);
}

size_t weir_diag_count(const weir_diag *diag)
{
    return diag ? diag->count : 0;
}

size_t weir_diag_dropped(const weir_diag *diag)
{
    return diag ? diag->dropped : 0;
}

size_t weir_diag_errors(const weir_diag *diag)
{
    return diag ? diag->errors : 0;
}

const weir_message *weir_diag_get(const weir_diag *diag, size_t i)
{
    return diag && i < diag->count ? &diag->messages[i] : NULL;
}

int weir_message_format(const weir_message *m, char *out, size_t size)
{
    static const char *const names[] = {"note", "warning", "error"};
    const char *severity = names[m->severity];
    if (!m->file)
        return snprintf(out, size, "%s: %s", severity, m->text);
    if (m->line <= 0)
        return snprintf(out, size, "%s: %s: %s", m->file, severity, m->text);
    if (m->column <= 0)
        return snprintf(out, size, "%s:%d: %s: %s", m->file, m->line, severity, m->text);
    return snprintf(out, size, "%s:%d:%d: %s: %s", m->file, m->line, m->column, severity, m->text);
}

static int diag_grow(weir_diag *diag)
{
    if (diag->count < diag->capacity)
        return 1;
    const size_t capacity = diag->capacity ? 2 * diag->capacity : 16;
    weir_message *messages = realloc(diag->messages, capacity * sizeof *messages);
    if (!messages)
        return 0;
    diag->messages = messages;
    diag->capacity = capacity;
    return 1;
}

static void diag_add(weir_diag *diag, weir_severity severity, weir_status status, const char *file, int line,
                     int column, const char *fmt, va_list args)
{
    if (!diag)
        return;
    if (severity == WEIR_ERROR)
        diag->errors++;
    char text[TEXT_MAX];
    vsnprintf(text, sizeof text, fmt, args);
    char *copy = diag->count < MESSAGES_MAX && diag_grow(diag) ? strdup(text) : NULL;
    if (!copy) {
        diag->dropped++;
        return;
    }
    diag->messages[diag->count++] = (weir_message){.severity = severity,
                                                   .status = status,
                                                   .file = file ? strdup(file) : NULL,
                                                   .line = line,
                                                   .column = column,
                                                   .text = copy};
}

weir_status weir_fail(weir_diag *diag, weir_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, WEIR_ERROR, status, NULL, 0, 0, fmt, args);
    va_end(args);
    return status;
}

weir_status weir_fail_at(weir_diag *diag, weir_status status, const char *file, int line, int column,
                         const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, WEIR_ERROR, status, file, line, column, fmt, args);
    va_end(args);
    return status;
}

void weir_warn(weir_diag *diag, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, WEIR_WARNING, WEIR_OK, NULL, 0, 0, fmt, args);
    va_end(args);
}

void weir_warn_at(weir_diag *diag, const char *file, int line, int column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, WEIR_WARNING, WEIR_OK, file, line, column, fmt, args);
    va_end(args);
}

void weir_note(weir_diag *diag, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, WEIR_NOTE, WEIR_OK, NULL, 0, 0, fmt, args);
    va_end(args);
}
