/* The message collector behind weir/status.h; and the version. */
#include "weir/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "weir/version.h"

enum { MESSAGES_MAX = 1000, TEXT_MAX = 2000 };

struct weir_diag {
    weir_message *messages;
    size_t count, dropped, errors;
    const volatile int *stop;
};

const char *weir_status_name(weir_status status)
{
#define NAME(code) [code] = #code
    static const char *const names[] = {
        NAME(WEIR_OK),       NAME(WEIR_E_ARG),         NAME(WEIR_E_NOMEM),       NAME(WEIR_E_IO),
        NAME(WEIR_E_FORMAT), NAME(WEIR_E_SCENARIO),    NAME(WEIR_E_UNSUPPORTED), NAME(WEIR_E_MODEL),
        NAME(WEIR_E_CHECK),  NAME(WEIR_E_INTERRUPTED), NAME(WEIR_E_DEVICE),      NAME(WEIR_E_DEADLOCK)};
#undef NAME
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown status";
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

/* Whether a warning is there already: one file read for each point of a study, and runs that are alike, say it once. */
static bool said(const weir_diag *diag, const weir_message *message, const char *text)
{
    const char *const file = message->file ? message->file : "";
    for (size_t i = 0; message->severity == WEIR_WARNING && i < diag->count; i++) {
        const weir_message *const m = &diag->messages[i];
        if (m->severity == WEIR_WARNING && m->line == message->line && m->column == message->column &&
            strcmp(m->file ? m->file : "", file) == 0 && strcmp(m->text, text) == 0)
            return true;
    }
    return false;
}

/* Add a message whose text is still to be formatted. */
static void diag_add(weir_diag *diag, weir_message message, const char *fmt, va_list args)
{
    if (!diag)
        return;
    if (message.severity == WEIR_ERROR)
        diag->errors++;
    char text[TEXT_MAX];
    vsnprintf(text, sizeof text, fmt, args);
    if (said(diag, &message, text))
        return;
    message.text =
        diag->count < MESSAGES_MAX && wi_grow_one(&diag->messages, diag->count, sizeof *diag->messages)
            ? strdup(text)
            : NULL;
    if (!message.text) {
        diag->dropped++;
        return;
    }
    message.file = message.file ? strdup(message.file) : NULL;
    diag->messages[diag->count++] = message;
}

weir_status weir_fail(weir_diag *diag, weir_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, (weir_message){.severity = WEIR_ERROR, .status = status}, fmt, args);
    va_end(args);
    return status;
}

weir_status weir_fail_at(weir_diag *diag, weir_status status, const char *file, int line, int column,
                         const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, (weir_message){WEIR_ERROR, status, file, line, column, NULL}, fmt, args);
    va_end(args);
    return status;
}

void weir_warn(weir_diag *diag, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, (weir_message){.severity = WEIR_WARNING}, fmt, args);
    va_end(args);
}

void weir_warn_at(weir_diag *diag, const char *file, int line, int column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, (weir_message){WEIR_WARNING, WEIR_OK, file, line, column, NULL}, fmt, args);
    va_end(args);
}

void weir_note(weir_diag *diag, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    diag_add(diag, (weir_message){.severity = WEIR_NOTE}, fmt, args);
    va_end(args);
}

const char *weir_version(void)
{
    return WEIR_VERSION;
}
