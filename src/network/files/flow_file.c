/* Reads a list of flows line by line. */
#include "network/files/flow_file.h"

#include <stdlib.h>

#include "base/file/slice.h"
#include "base/memory.h"
#include "network/files/flow_peers.h"

enum { CLASS = 4, FIELDS, FIELD_MAX = 1024, ERRORS_MAX = 20 };
static const uint64_t size_most = UINT64_C(1) << 50;

typedef struct reader {
    wi_source *source;
    wi_flow_file *out;
    wi_slice field[FIELDS];
    uint8_t column[FIELDS]; /* of TIME, FROM, TO, BYTES and CLASS, as a title has them */
    int least;              /* fields of a line */
    char unquoted[FIELDS][FIELD_MAX];
} reader;

/* A field in quotes, from behind the first, into `out`; what stands behind it, or null, where it has no end. */
static const char *unquote(const char *at, const char *end, char *out, wi_slice *field)
{
    size_t n = 0;
    for (; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) {
            *field = (wi_slice){out, n};
            return at + 1;
        }
        at += *at == '"';
        if (n < FIELD_MAX)
            out[n++] = *at;
    }
    return NULL;
}

/* Split a line into fields: by commas, or blanks where it has none. Return their number, or 0 after an error. */
static int split(reader *r, wi_slice line)
{
    const char *at = line.text, *const end = line.text + line.length;
    if (!memchr(at, ',', line.length)) {
        int n = 0;
        for (wi_slice word; n <= FIELDS && wi_next_word(&line, &word); n++)
            r->field[n < FIELDS ? n : 0] = word;
        return n;
    }
    for (int i = 0;; i++) {
        const char *stop = memchr(at, ',', (size_t)(end - at)), *behind;
        wi_slice field = wi_trimmed(at, stop ? stop : end);
        const wi_slice place = {at, 0};
        stop = stop ? stop : end;
        if (i < FIELDS && field.length > 0 && field.text[0] == '"') {
            behind = unquote(field.text + 1, end, r->unquoted[i], &field);
            stop = behind ? memchr(behind, ',', (size_t)(end - behind)) : NULL;
            stop = stop ? stop : end;
            if (!behind || wi_trimmed(behind, stop).length > 0) {
                wi_fail_slice(r->source, place,
                              behind ? "want a comma after this field"
                                     : "a quote that does not end in this line");
                return 0;
            }
        }
        if (i == FIELDS || field.length >= FIELD_MAX) {
            wi_fail_slice(r->source, place,
                          i == FIELDS ? "a sixth field; want TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS"
                                      : "a field of more than 1,023 bytes");
            return 0;
        }
        r->field[i] = field;
        if (stop == end)
            return i + 1;
        at = stop + 1;
    }
}

static uint32_t intern(reader *r, wi_names *names, wi_slice field)
{
    const uint32_t i = wi_names_intern(names, field.text, field.length);
    if (i == WI_NO_NAME)
        wi_no_memory(r->source, "names");
    return i;
}

/* Which of the fields' meanings a word of a title has; FIELDS: none. */
static int meaning(wi_slice word)
{
    static const char *const words[FIELDS][6] = {{"time", "time_s", "start", "start_s", "at"},
                                                 {"from", "src", "source"},
                                                 {"to", "dst", "dest", "destination", "target"},
                                                 {"bytes", "size"},
                                                 {"class"}};
    for (int i = 0; i < FIELDS; i++)
        for (int k = 0; words[i][k]; k++)
            if (wi_slice_is(word, words[i][k]))
                return i;
    return FIELDS;
}

/* A first line of names: they say in which order fields stand. */
static void read_title(reader *r, int n)
{
    char shown[WI_SHOWN];
    unsigned found = 0;
    for (int i = 0; i < n && i < FIELDS; i++) {
        const int what = meaning(r->field[i]);
        if (what == FIELDS || (found >> what & 1)) {
            wi_fail_slice(r->source, r->field[i], "title: '%s' %s; want time, from, to, bytes, and class",
                          wi_shown(r->field[i], shown), what == FIELDS ? "is no such field" : "comes again");
            return;
        }
        found |= 1u << what;
        r->column[what] = (uint8_t)i;
        r->least = what < CLASS && i >= r->least ? i + 1 : r->least;
    }
    if ((found & 15u) != 15u || n > FIELDS)
        wi_fail(r->source, "title: %d fields; want time, from, to, bytes, and class where it has five", n);
}

/* No time begins like this. */
static bool is_title(wi_slice field)
{
    return field.length > 0 && meaning(field) < FIELDS;
}

static void read_line(reader *r, wi_slice line, bool first)
{
    char shown[WI_SHOWN];
    wi_source *const s = r->source;
    const int before = s->errors, n = split(r, line);
    wi_slice f[FIELDS];
    if (n == 0)
        return;
    if (first && is_title(r->field[0])) {
        read_title(r, n);
        return;
    }
    for (int i = 0; i < FIELDS; i++)
        f[i] = r->field[r->column[i]];
    if (n < r->least || n > FIELDS) {
        wi_fail(s, "%d fields; want TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS", n);
        return;
    }
    wi_listed_flow flow = {
        .at_ps = wi_time_field(s, f[0], "time: ", "s"), .cls = WI_NO_NAME, .line = s->line};
    if (s->errors == before)
        flow.bytes = wi_size_field(s, f[3], "bytes: ", "B");
    if (s->errors > before)
        return;
    if (flow.bytes == 0 || flow.bytes > size_most)
        wi_fail_slice(s, f[3], "a flow of %s; want 1 B to 1 PiB", wi_shown(f[3], shown));
    else if (f[1].length == 0 || f[2].length == 0)
        wi_fail(s, "a node without a name");
    else if (f[1].length == f[2].length && memcmp(f[1].text, f[2].text, f[1].length) == 0)
        wi_fail_slice(s, f[1], "a flow from '%s' to itself", wi_shown(f[1], shown));
    if (s->errors > before)
        return;
    flow.from = intern(r, &r->out->node, f[1]);
    flow.to = intern(r, &r->out->node, f[2]);
    if (n == FIELDS && f[CLASS].length > 0)
        flow.cls = intern(r, &r->out->cls, f[CLASS]);
    wi_flow_file_add(s, r->out, &flow);
}

static void read_all(reader *r)
{
    wi_slice line;
    bool first = true;
    r->source->tolerates = ERRORS_MAX - 1;
    while (wi_next_line(r->source, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        read_line(r, line, first);
        first = false;
    }
    if (r->out->n == 0 && r->source->errors == 0)
        wi_fail(r->source, "this list has no flow; want lines TIME,FROM,TO,BYTES");
}

void wi_flow_file_free(wi_flow_file *file)
{
    if (!file)
        return;
    wi_names_free(&file->node);
    wi_names_free(&file->cls);
    free(file->flow);
    free(file->trigger);
    free(file->file);
    free(file);
}

weir_status wi_flow_file_read(wi_source source, wi_flow_file **out)
{
    WI_FREED reader *r = calloc(1, sizeof *r);
    wi_flow_file *f = *out = calloc(1, sizeof *f);
    if (f)
        f->file = strdup(source.name);
    if (!r || !f || !f->file)
        wi_no_memory(&source, "a list of flows");
    wi_source_text(&source);
    const wi_flow_form form = wi_flow_form_of(&source);
    if (source.status == WEIR_OK && form == WI_FLOWS_OWN) {
        *r = (reader){.source = &source, .out = f, .column = {0, 1, 2, 3, CLASS}, .least = CLASS};
        read_all(r);
    } else if (source.status == WEIR_OK) {
        wi_flow_peers_read(&source, form, f);
    }
    const weir_status status = wi_source_close(&source);
    if (status != WEIR_OK) {
        wi_flow_file_free(f);
        *out = NULL;
    }
    return status;
}
