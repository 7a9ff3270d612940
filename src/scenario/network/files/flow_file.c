/* Reads a list of flows line by line. */
#include "scenario/network/files/flow_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "scenario/network/files/flow_peers.h"
#include "weir/units.h"

enum { FIELDS = 5, FIELD_MAX = 1024, ERRORS_MAX = 20 };
static const size_t bytes_most = (size_t)1 << 30;
static const uint64_t size_most = UINT64_C(1) << 50;

typedef struct reader {
    weir_diag *diag;
    const char *name;
    int line, errors;
    bool no_memory;
    wi_flow_file *out;
    char field[FIELDS][FIELD_MAX];
} reader;

static void WEIR_PRINTF(3, 4) complain(reader *r, int column, const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (r->errors++ >= ERRORS_MAX)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void)weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, column, "%s", text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void put(char *field, size_t *n, char c)
{
    if (*n + 1 < FIELD_MAX)
        field[(*n)++] = c;
    else
        *n = FIELD_MAX; /* too long */
}

/* A field in quotes, from behind the first; returns where it ends, or null. */
static const char *quoted(const char *at, const char *end, char *field, size_t *n)
{
    for (; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"'))
            return at + 1;
        at += *at == '"';
        put(field, n, *at);
    }
    return NULL;
}

/* Split a line into fields. Return their number, or 0 after an error message. */
static int split(reader *r, const char *line, const char *end)
{
    const char *at = line;
    for (int i = 0;; i++) {
        size_t n = 0;
        const int column = (int)(at - line) + 1;
        char *const field = r->field[i < FIELDS ? i : FIELDS - 1];
        while (at < end && is_blank(*at))
            at++;
        if (at < end && *at == '"') {
            at = quoted(at + 1, end, field, &n);
            if (!at) {
                complain(r, column, "a quote that does not end in this line");
                return 0;
            }
            while (at < end && is_blank(*at))
                at++;
        } else {
            while (at < end && *at != ',')
                put(field, &n, *at++);
            while (n > 0 && n < FIELD_MAX && is_blank(field[n - 1]))
                n--;
        }
        if (n >= FIELD_MAX || i >= FIELDS || (at < end && *at != ',') || memchr(field, '\0', n)) {
            complain(r, column,
                     n >= FIELD_MAX ? "a field of more than 1,023 bytes"
                     : i >= FIELDS  ? "a sixth field; want TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS"
                                    : "want a comma after this field, and no zero characters");
            return 0;
        }
        field[n] = '\0';
        if (at == end)
            return i + 1;
        at++;
    }
}

/* With a unit, or a bare number of `unit`. */
static void with_unit(char *text, const char *unit)
{
    const size_t n = strlen(text);
    if (n > 0 && n + strlen(unit) < FIELD_MAX &&
        (text[n - 1] == '.' || (text[n - 1] >= '0' && text[n - 1] <= '9')))
        memcpy(text + n, unit, strlen(unit) + 1);
}

static uint32_t intern(reader *r, wi_names *names, const char *text)
{
    const uint32_t i = wi_names_intern(names, text, strlen(text));
    r->no_memory |= i == WI_NO_NAME;
    return i;
}

static void keep(reader *r, const wi_listed_flow *flow)
{
    wi_flow_file *f = r->out;
    if (!wi_grow_one(&f->flow, f->n, sizeof *f->flow)) {
        r->no_memory = true;
        return;
    }
    f->flow[f->n++] = *flow;
    f->most_bytes = flow->bytes > f->most_bytes ? flow->bytes : f->most_bytes;
}

static void read_line(reader *r, const char *line, const char *end, bool first)
{
    char why[300];
    wi_listed_flow flow = {.cls = WI_NO_NAME, .line = r->line};
    const int n = split(r, line, end);
    if (n == 0)
        return;
    if (first && strcmp(r->field[0], "time") == 0)
        return;
    if (n < 4) {
        complain(r, 0, "%d fields; want TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS", n);
        return;
    }
    with_unit(r->field[0], "s");
    with_unit(r->field[3], "B");
    if (!weir_parse_time(r->field[0], &flow.at_ps, why, sizeof why)) {
        complain(r, 0, "time: %s", why);
    } else if (!weir_parse_size(r->field[3], &flow.bytes, why, sizeof why)) {
        complain(r, 0, "bytes: %s", why);
    } else if (flow.bytes == 0 || flow.bytes > size_most) {
        complain(r, 0, "a flow of %s; want 1 B to 1 PiB", r->field[3]);
    } else if (!*r->field[1] || !*r->field[2]) {
        complain(r, 0, "a node without a name");
    } else if (strcmp(r->field[1], r->field[2]) == 0) {
        complain(r, 0, "a flow from '%.100s' to itself", r->field[1]);
    } else {
        flow.from = intern(r, &r->out->node, r->field[1]);
        flow.to = intern(r, &r->out->node, r->field[2]);
        if (n == FIELDS && *r->field[4])
            flow.cls = intern(r, &r->out->cls, r->field[4]);
        if (!r->no_memory)
            keep(r, &flow);
    }
}

static void read_all(reader *r, const char *text, size_t length)
{
    bool first = true;
    for (const char *at = text, *const end = text + length; at < end && !r->no_memory;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *from = at;
        while (from < stop && is_blank(*from))
            from++;
        r->line++;
        if (from < stop && *from != '#') {
            const char *to = stop;
            while (to > at && is_blank(to[-1]))
                to--;
            read_line(r, at, to, first);
            first = false;
        }
        at = stop < end ? stop + 1 : end;
    }
    if (r->out->n == 0 && r->errors == 0 && !r->no_memory)
        complain(r, 0, "this list has no flow; want lines TIME,FROM,TO,BYTES");
}

void wi_flow_file_free(wi_flow_file *file)
{
    if (!file)
        return;
    wi_names_free(&file->node);
    wi_names_free(&file->cls);
    free(file->flow);
    free(file->file);
    free(file);
}

weir_status wi_flow_file_parse(weir_diag *diag, const char *name, const char *text, size_t length,
                               wi_flow_file **out)
{
    *out = NULL;
    WI_FREED reader *r = calloc(1, sizeof *r);
    wi_flow_file *f = calloc(1, sizeof *f);
    if (r && f)
        f->file = strdup(name);
    if (!r || !f || !f->file) {
        wi_flow_file_free(f);
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", name);
    }
    r->diag = diag;
    r->name = name;
    r->out = f;
    const wi_flow_form form = wi_flow_form_of(text, length);
    weir_status status = WEIR_OK;
    if (form == WI_FLOWS_OWN)
        read_all(r, text, length);
    else
        status = wi_flow_peers_read(diag, name, text, length, form, f);
    if (r->no_memory)
        status = weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory after %zu flows", name, f->n);
    else if (r->errors)
        status = WEIR_E_FORMAT;
    if (r->errors > ERRORS_MAX)
        weir_note(diag, "%s: %d more errors are not shown", name, r->errors - ERRORS_MAX);
    if (status == WEIR_OK)
        *out = f;
    else
        wi_flow_file_free(f);
    return status;
}

weir_status wi_flow_file_load(weir_diag *diag, const char *path, wi_flow_file **out)
{
    WI_FREED char *text = NULL;
    size_t length = 0;
    *out = NULL;
    weir_status status = wi_file_read(diag, path, bytes_most, &text, &length);
    if (status == WEIR_OK)
        status = wi_flow_file_parse(diag, path, text, length, out);
    return status;
}
