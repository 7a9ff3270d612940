/* Reads SNDlib's native format: a list of tokens in sections, but for META, which goes line by line. */
#include "network/files/demands.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/source.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "topology/read/sndlib_lexer.h"
#include "weir/units.h"

enum { BYTES_MAX = 256 << 20, ERRORS_MAX = 20, WORD_SHOWN = 80 };

typedef struct reader {
    weir_diag *diag;
    const char *name;
    wi_sndlib_lexer lexer;
    wi_sndlib_token token; /* the one being looked at */
    double unit_bps;
    int errors;
    bool no_memory;
    char word[WORD_SHOWN + 1]; /* for messages */
    wi_demands *out;
} reader;

static void WEIR_PRINTF(4, 5) complain(reader *r, int line, int column, const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (r->errors++ >= ERRORS_MAX)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void)weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, line, column, "%s", text);
}

/* The current token, for a message; the start of it where it is long. */
static const char *shown(reader *r)
{
    const wi_sndlib_token *t = &r->token;
    if (t->type != WI_SNDLIB_WORD)
        return t->type == WI_SNDLIB_END ? "the end of the file" : t->type == WI_SNDLIB_OPEN ? "(" : ")";
    snprintf(r->word, sizeof r->word, "%.*s", (int)(t->length < WORD_SHOWN ? t->length : WORD_SHOWN),
             t->text);
    return r->word;
}

/* A complaint about the current token, whose text stands for %s. */
#define COMPLAIN(r, fmt) complain(r, (r)->token.line, (r)->token.column, fmt, shown(r))

static void next(reader *r)
{
    r->token = wi_sndlib_next(&r->lexer);
    if (r->token.unclosed)
        complain(r, r->token.line, r->token.column, "a quote that does not end in this line");
}

/* Skips to behind the parenthesis that closes the one before the current token. */
static void skip_group(reader *r)
{
    for (size_t depth = 1; r->token.type != WI_SNDLIB_END; next(r)) {
        if (r->token.type == WI_SNDLIB_OPEN)
            depth++;
        else if (r->token.type == WI_SNDLIB_CLOSE && --depth == 0)
            break;
    }
    if (r->token.type == WI_SNDLIB_END)
        COMPLAIN(r, "a section has no closing parenthesis before %s: is the file cut off?");
    else
        next(r);
}

static void read_unit(reader *r, const char *text, size_t length, int column)
{
    char word[WORD_SHOWN + 1];
    snprintf(word, sizeof word, "%.*s", (int)(length < WORD_SHOWN ? length : WORD_SHOWN), text);
    const double bps = wi_sndlib_unit(text, length);
    if (bps > 0.0) {
        r->unit_bps = bps;
        r->out->unit_given = true;
        return;
    }
    complain(r, r->lexer.line, column, "unknown unit '%s' (did you mean '%s'?); known are " WI_SNDLIB_UNITS,
             word, wi_sndlib_nearest_unit(word));
}

/* One line of META: key = text. Only the unit matters. */
static void read_attribute(reader *r, wi_slice line)
{
    const char *equal = memchr(line.text, '=', line.length);
    if (!equal)
        return;
    const wi_slice key = wi_trimmed(line.text, equal), value = wi_trimmed(equal + 1, line.text + line.length);
    if (key.length == 4 && memcmp(key.text, "unit", 4) == 0)
        read_unit(r, value.text, value.length, (int)(value.text - r->lexer.line_start) + 1);
}

/* META's texts hold anything, parentheses too, so it ends with a parenthesis alone in its line. */
static void read_meta(reader *r)
{
    wi_sndlib_lexer *const l = &r->lexer;
    while (l->at < l->end) {
        const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
        const wi_slice line = wi_trimmed(l->at, stop ? stop : l->end);
        if (line.length == 1 && *line.text == ')') {
            l->at = line.text + 1;
            next(r);
            return;
        }
        if (line.length && *line.text != '#')
            read_attribute(r, line);
        l->at = stop ? stop : l->end;
        if (stop)
            wi_sndlib_new_line(l);
    }
    next(r);
    COMPLAIN(r, "META has no ')' alone in a line before %s");
}

/* Skips an optional group "( ... )" after a node's name. */
static void skip_optional_group(reader *r)
{
    if (r->token.type == WI_SNDLIB_OPEN) {
        next(r);
        skip_group(r);
    }
}

static void read_nodes(reader *r)
{
    wi_names *names = &r->out->node;
    while (r->token.type == WI_SNDLIB_WORD && !r->no_memory) {
        if (r->token.length == 0)
            complain(r, r->token.line, r->token.column, "a node without a name");
        else if (memchr(r->token.text, '\0', r->token.length))
            COMPLAIN(r, "a zero character in the name of node '%s'");
        else if (wi_names_find(names, r->token.text, r->token.length) != WI_NO_NAME)
            COMPLAIN(r, "node '%s' is given twice");
        else if (wi_names_add(names, r->token.text, r->token.length) == WI_NO_NAME)
            r->no_memory = true;
        next(r);
        skip_optional_group(r);
    }
    if (r->token.type == WI_SNDLIB_CLOSE)
        next(r);
    else if (!r->no_memory)
        COMPLAIN(r, "NODES: want a node's name or ')', not %s");
}

static void unknown_node(reader *r)
{
    enum { LOOKED_AT = 1000 };
    const wi_names *names = &r->out->node;
    const char *known[LOOKED_AT];
    size_t n = 0;
    for (; n < names->count && n < LOOKED_AT; n++)
        known[n] = wi_names_text(names, (uint32_t)n);
    const char *near = wi_nearest(shown(r), known, n);
    if (near)
        complain(r, r->token.line, r->token.column, "no node '%s' in NODES (did you mean '%s'?)", shown(r),
                 near);
    else
        COMPLAIN(r, "no node '%s' in NODES");
}

static bool read_node_name(reader *r, uint32_t *node)
{
    *node = WI_NO_NAME;
    if (r->token.type != WI_SNDLIB_WORD) {
        COMPLAIN(r, "want a node's name, not %s");
        return false;
    }
    *node = wi_names_find(&r->out->node, r->token.text, r->token.length);
    if (*node == WI_NO_NAME)
        unknown_node(r);
    next(r);
    return true;
}

/* Complains and returns false where a demand cannot go on; a number that is wrong becomes NaN. */
static bool read_number(reader *r, const char *what, double *value)
{
    char why[200];
    *value = NAN;
    if (r->token.type != WI_SNDLIB_WORD) {
        COMPLAIN(r, "want a number, not %s");
        return false;
    }
    if (r->token.length > WORD_SHOWN || !weir_parse_number(shown(r), value, why, sizeof why)) {
        complain(r, r->token.line, r->token.column, "%s is '%s'; want a number", what, shown(r));
        *value = NAN;
    } else if (*value < 0) {
        complain(r, r->token.line, r->token.column, "%s is %s; want 0 or more", what, shown(r));
        *value = NAN;
    }
    next(r);
    return true;
}

static void keep(reader *r, wi_demand demand, double bps)
{
    if (!(bps < WI_DEMAND_MAX) || r->out->total_bps > UINT64_MAX - (uint64_t)WI_DEMAND_MAX) {
        complain(r, demand.line, 0, "this demand, or the sum of all up to it, is beyond 1e18 bit/s");
        return;
    }
    demand.rate_bps = (uint64_t)llround(bps);
    r->no_memory |= !wi_demands_add(r->out, &demand);
}

/* id ( source target ) routing_unit value max_path_length; false where the rest of the section makes no
 * sense. */
static bool read_demand(reader *r)
{
    wi_demand demand = {.line = r->token.line};
    double routing_unit, value;
    next(r); /* the id */
    if (r->token.type != WI_SNDLIB_OPEN) {
        COMPLAIN(r, "want '( source target )' after a demand's id, not %s");
        return false;
    }
    next(r);
    const wi_sndlib_token source = r->token;
    if (!read_node_name(r, &demand.source) || !read_node_name(r, &demand.target))
        return false;
    if (r->token.type != WI_SNDLIB_CLOSE) {
        COMPLAIN(r, "want ')' after source and target, not %s");
        return false;
    }
    next(r);
    if (!read_number(r, "routing unit", &routing_unit) || !read_number(r, "demand", &value))
        return false;
    if (r->token.type != WI_SNDLIB_WORD) {
        COMPLAIN(r, "want the largest path length or UNLIMITED, not %s");
        return false;
    }
    next(r);
    const double bps = routing_unit * value * r->unit_bps;
    if (demand.source != WI_NO_NAME && demand.source == demand.target)
        complain(r, source.line, source.column, "a demand of a node with itself");
    else if (demand.source != WI_NO_NAME && demand.target != WI_NO_NAME && !isnan(routing_unit) &&
             !isnan(value))
        keep(r, demand, bps);
    return true;
}

static void read_demands(reader *r)
{
    while (r->token.type == WI_SNDLIB_WORD && !r->no_memory) {
        if (!read_demand(r)) {
            if (r->token.type != WI_SNDLIB_END)
                skip_group(r);
            return;
        }
    }
    if (r->token.type == WI_SNDLIB_CLOSE)
        next(r);
    else if (!r->no_memory)
        COMPLAIN(r, "DEMANDS: want a demand's id or ')', not %s");
}

static bool read_first_line(reader *r)
{
    wi_sndlib_lexer *const l = &r->lexer;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    const size_t length = (size_t)((stop ? stop : l->end) - l->at);
    if (!wi_sndlib_is_title(l->at, length)) {
        complain(
            r, 1, 1,
            length == 0 && l->at == l->end ? "there is nothing in this file; want a traffic matrix in "
                                             "SNDlib's native format, or REPETITA's"
            : *l->at == '<'
                ? "this is XML; SNDlib's demands are read from its native format (.native.txt)"
                : "this is no SNDlib native file: its first line must begin with '?SNDlib native format'");
        return false;
    }
    if (memmem(l->at, length, "type: model", strlen("type: model"))) {
        complain(r, 1, 1, "this is SNDlib's model file; want the network file, 'type: network'");
        return false;
    }
    l->at += length;
    return true;
}

/* NAME ( ... ) */
static void read_section(reader *r, bool *has_nodes, bool *has_demands)
{
    const wi_sndlib_token name = r->token;
    const bool nodes = wi_sndlib_is(&name, "NODES"), demands = wi_sndlib_is(&name, "DEMANDS");
    next(r);
    if (name.type != WI_SNDLIB_WORD || r->token.type != WI_SNDLIB_OPEN) {
        complain(r, name.line, name.column, "want a section: NAME ( ... )");
        while (r->token.type != WI_SNDLIB_END) /* nothing after this can be trusted */
            next(r);
        return;
    }
    if (wi_sndlib_is(&name, "META")) {
        read_meta(r);
        return;
    }
    next(r);
    if ((nodes && *has_nodes) || (demands && *has_demands)) {
        complain(r, name.line, name.column, "a second section of this name");
        skip_group(r);
    } else if (nodes) {
        *has_nodes = true;
        read_nodes(r);
    } else if (demands && !*has_nodes) {
        complain(r, name.line, name.column, "DEMANDS comes before NODES");
        *has_demands = true;
        skip_group(r);
    } else if (demands) {
        *has_demands = true;
        read_demands(r);
    } else {
        skip_group(r);
    }
}

static void read_all(reader *r)
{
    bool has_nodes = false, has_demands = false;
    if (!read_first_line(r))
        return;
    next(r);
    while (r->token.type != WI_SNDLIB_END && !r->no_memory)
        read_section(r, &has_nodes, &has_demands);
    if (r->errors || r->no_memory)
        return;
    if (!has_demands)
        complain(r, r->lexer.line, 0, "the file ends without a section DEMANDS: is it cut off?");
    else if (r->out->n == 0)
        complain(r, r->lexer.line, 0, "DEMANDS holds no demand above zero");
    else if (!r->out->unit_given)
        weir_warn_at(r->diag, r->name, 0, 0,
                     "META gives no unit; demands are taken as Mb/s, %.6g Gb/s in all",
                     (double)r->out->total_bps * 1e-9);
}

void wi_demands_free(wi_demands *demands)
{
    if (!demands)
        return;
    wi_names_free(&demands->node);
    free(demands->demand);
    free(demands->file);
    free(demands);
}

static weir_status read_native(weir_diag *diag, const char *text, size_t length, wi_demands *out)
{
    reader r = {.diag = diag,
                .name = out->file,
                .lexer = wi_sndlib_text(text, length, 1),
                .unit_bps = 1e6,
                .out = out};
    read_all(&r);
    if (r.no_memory)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory after %zu demands", out->file, out->n);
    if (r.errors > ERRORS_MAX)
        weir_note(diag, "%s: %d more errors are not shown", out->file, r.errors - ERRORS_MAX);
    return r.errors ? WEIR_E_FORMAT : WEIR_OK;
}

weir_status wi_demands_parse(weir_diag *diag, const char *name, const char *text, size_t length,
                             wi_demands **out)
{
    wi_demands *const d = *out = calloc(1, sizeof *d);
    if (d)
        d->file = strdup(name);
    const weir_status status = !d || !d->file ? weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", name)
                               : wi_demands_are_repetita(text, length)
                                   ? wi_demands_read_repetita(diag, name, text, length, d)
                                   : read_native(diag, text, length, d);
    if (status != WEIR_OK) {
        wi_demands_free(d);
        *out = NULL;
    }
    return status;
}

weir_status wi_demands_load(weir_diag *diag, const char *path, wi_demands **out)
{
    WI_FREED char *text = NULL;
    size_t length = 0;
    *out = NULL;
    return wi_file_read(diag, path, BYTES_MAX, &text, &length)
               ?: wi_demands_parse(diag, path, text, length, out);
}
