/* Kinds of one value: quantities with units, counts, words, texts, files. */
#include "schema/pattern.h"
#include "schema/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weir/units.h"

_Static_assert(sizeof(long double) > sizeof(double), "long double must hold every uint64_t");

/* A quantity of a unit's parser, as the long double that all are compared in. */
#define PARSER(name, type)                                                                   \
    static bool parse_##name(const char *text, long double *out, char *why, size_t why_size) \
    {                                                                                        \
        type value = 0;                                                                      \
        const bool ok = weir_parse_##name(text, &value, why, why_size);                      \
        *out = value;                                                                        \
        return ok;                                                                           \
    }
PARSER(time, weir_time)
PARSER(rate, uint64_t)
PARSER(size, uint64_t)
PARSER(share, double)
PARSER(event_rate, double)
PARSER(count, uint64_t)
PARSER(number, double)
#undef PARSER

static void format_time(long double value, char *out)
{
    weir_format_time((weir_time)value, out);
}

static void format_rate(long double value, char *out)
{
    weir_format_rate((uint64_t)value, out);
}

/* Drawn sizes may hold fractions of a byte only by a user's hand, which parsing rounds: all sizes are whole.
 */
static void format_size(long double value, char *out)
{
    weir_format_size((uint64_t)value, out);
}

static void format_count(long double value, char *out)
{
    snprintf(out, WI_SCALAR_TEXT, "%" PRIu64, (uint64_t)value);
}

static void format_number(long double value, char *out)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, WI_SCALAR_TEXT, "%.*g", digits, (double)value);
        if (strtod(out, NULL) == (double)value)
            return;
    }
}

static void format_event_rate(long double value, char *out)
{
    format_number(value, out);
    strcat(out, "/s");
}

/* One end of a range; a null text is no bound. */
static bool within(const wi_key *key, const char *bound_text, long double value, int sign, bool inclusive)
{
    long double bound;
    if (!bound_text)
        return true;
    if (!key->kind->parse(bound_text, &bound, NULL, 0))
        return false; /* a mistake in the table; the tests parse every bound */
    return inclusive ? sign * (value - bound) >= 0 : sign * (value - bound) > 0;
}

static bool check_range(wi_reader *r, const wi_key *key, const wi_node *node, long double value)
{
    if (!within(key, key->above, value, 1, false))
        wi_complain(r, node->place, "%s is %s; want more than %s", key->name, node->text, key->above);
    else if (!within(key, key->low, value, 1, true))
        wi_complain(r, node->place, "%s is %s; want at least %s", key->name, node->text, key->low);
    else if (!within(key, key->below, value, -1, false))
        wi_complain(r, node->place, "%s is %s; want less than %s", key->name, node->text, key->below);
    else if (!within(key, key->high, value, -1, true))
        wi_complain(r, node->place, "%s is %s; want at most %s", key->name, node->text, key->high);
    else if (key->kind->storage == WI_U32 && value > UINT32_MAX)
        wi_complain(r, node->place, "%s is %s; want at most %" PRIu32, key->name, node->text, UINT32_MAX);
    else
        return true;
    return false;
}

static void read_scalar(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    char why[300] = "";
    long double value;
    if (!wi_want_scalar(r, key, node))
        return;
    if (key->word && strcmp(node->text, key->word) == 0) {
        wi_scalar_store(key->kind->storage, at, key->word_value);
        return;
    }
    if (!key->kind->parse(node->text, &value, why, sizeof why)) {
        if (key->word)
            wi_complain(r, node->place, "%s: %s (or '%s')", key->name, why, key->word);
        else
            wi_complain(r, node->place, "%s: %s", key->name, why);
        return;
    }
    if (check_range(r, key, node, value))
        wi_scalar_store(key->kind->storage, at, value);
}

static void write_scalar(wi_writer *w, const wi_key *key, const void *at)
{
    char text[WI_SCALAR_TEXT];
    const long double value = wi_scalar_load(key->kind->storage, at);
    if (key->word && value == (long double)key->word_value) {
        fputs(key->word, w->out);
        return;
    }
    key->kind->format(value, text);
    fputs(text, w->out);
}

/* As base/units/decimal.c reads numbers: single underscores between digits, a point with a digit on one side at
 * least; a minus only before zero. */
#define WHOLE "[0-9](_?[0-9])*"
#define NUMBER "(" WHOLE "(\\.(" WHOLE ")?)?|\\." WHOLE ")([eE][-+]?[0-9]+)?"
#define BLANKS "[ \t]*"
#define DIGITS "^" BLANKS "(?!-[0._]*[1-9])[-+]?" NUMBER BLANKS
#define END BLANKS "$"
#define TIME_UNIT "(ps|ns|us|\u00b5s|\u03bcs|ms|s|min|h|d)"
#define RATE_UNIT "([kMGT]?[bB]|[KMGT]i[bB])ps"
#define SIZE_UNIT "([kMGT]?|[KMGT]i)B"
#define SCALAR(what_, example_, storage_, parse_, format_, bare_, pattern_)              \
    {                                                                                    \
        .what = what_, .example = example_, .read = read_scalar, .write = write_scalar,  \
        .json = wi_json_scalar, .storage = storage_, .parse = parse_, .format = format_, \
        .pattern = pattern_, .bare = bare_                                               \
    }

const wi_kind wi_kind_time =
    SCALAR("time", "5ms", WI_I64, parse_time, format_time, WI_NOT_BARE, DIGITS TIME_UNIT END);
const wi_kind wi_kind_rate =
    SCALAR("rate", "10Gbps", WI_U64, parse_rate, format_rate, WI_NOT_BARE, DIGITS RATE_UNIT END);
const wi_kind wi_kind_size =
    SCALAR("size", "64KiB", WI_U64, parse_size, format_size, WI_NOT_BARE, DIGITS SIZE_UNIT END);
const wi_kind wi_kind_size32 =
    SCALAR("size", "1500B", WI_U32, parse_size, format_size, WI_NOT_BARE, DIGITS SIZE_UNIT END);
const wi_kind wi_kind_size_real =
    SCALAR("size", "100kB", WI_F64, parse_size, format_size, WI_NOT_BARE, DIGITS SIZE_UNIT END);
const wi_kind wi_kind_share =
    SCALAR("share", "30%", WI_F64, parse_share, format_number, WI_BARE_SHARE,
           "^" BLANKS "\\+?(0*(100(\\.0*)?|[0-9]?[0-9](\\.[0-9]*)?|\\.[0-9]+)" BLANKS
           "%|0*(1(\\.0*)?|0(\\.[0-9]*)?|\\.[0-9]+)|(" WHOLE "(\\.[0-9]*)?|\\.[0-9]+)[eE][-+]?[0-9]+" BLANKS
           "%?)" END);
const wi_kind wi_kind_event_rate = SCALAR("event rate", "200/s", WI_F64, parse_event_rate, format_event_rate,
                                          WI_NOT_BARE, DIGITS "/" BLANKS TIME_UNIT END);
#define COUNT \
    "^" BLANKS "(?!-[0._]*[1-9])[-+]?(" WHOLE "(\\.0*)?|" WHOLE "(\\.(" WHOLE ")?)?[eE]\\+?[0-9]+)" END
const wi_kind wi_kind_count = SCALAR("count", "20", WI_U32, parse_count, format_count, WI_BARE_WHOLE, COUNT);
const wi_kind wi_kind_count64 =
    SCALAR("count", "20", WI_U64, parse_count, format_count, WI_BARE_WHOLE, COUNT);
const wi_kind wi_kind_number =
    SCALAR("number", "0.5", WI_F64, parse_number, format_number, WI_BARE_REAL, "^" BLANKS "[-+]?" NUMBER END);

static void read_bool(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    bool value = false;
    if (!wi_want_scalar(r, key, node))
        return;
    if (strcmp(node->text, "true") == 0)
        value = true;
    else if (strcmp(node->text, "false") != 0)
        wi_complain(r, node->place, "%s is '%s'; want true or false", key->name, node->text);
    memcpy(at, &value, sizeof value);
}

static void write_bool(wi_writer *w, const wi_key *key, const void *at)
{
    bool value;
    (void)key;
    memcpy(&value, at, sizeof value);
    fputs(value ? "true" : "false", w->out);
}

const wi_kind wi_kind_bool = {
    .what = "true or false", .read = read_bool, .write = write_bool, .schema = "{'type': 'boolean'}"};

static void read_word(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    enum { MAX = 32 };
    const char *known[MAX];
    char wants[300] = "";
    size_t used = 0;
    const size_t n = key->words->n < MAX ? key->words->n : MAX;
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        const wi_word *const word = &key->words->item[i];
        if (node->type == WI_SCALAR && strcmp(node->text, word->word) == 0) {
            if (wi_word_refused(word))
                wi_refuse_word(r, key, word, node->place);
            else
                memcpy(at, &word->value, sizeof(int));
            return;
        }
        if (!wi_word_refused(word))
            known[n_known++] = word->word;
    }
    for (size_t i = 0; i < n_known && used < sizeof wants; i++)
        used += (size_t)snprintf(wants + used, sizeof wants - used, "%s%s",
                                 i == 0             ? ""
                                 : i + 1 == n_known ? " or "
                                                    : ", ",
                                 known[i]);
    wi_unknown_word(r, key, node, wants, known, n_known);
}

static void write_word(wi_writer *w, const wi_key *key, const void *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    for (size_t i = 0; i < key->words->n; i++) {
        if (key->words->item[i].value == value)
            fputs(key->words->item[i].word, w->out);
    }
}

static json_t *json_word(const wi_key *key, json_t *defs)
{
    json_t *words = json_array();
    (void)defs;
    for (size_t i = 0; i < key->words->n; i++) {
        char *end;
        const char *word = key->words->item[i].word;
        if (wi_word_refused(&key->words->item[i]))
            continue;
        const long number = strtol(word, &end, 10);
        const bool is_bool = strcmp(word, "true") == 0 || strcmp(word, "false") == 0; /* as YAML reads it */
        json_array_append_new(words, is_bool ? json_boolean(word[0] == 't')
                                     : *end  ? json_string(word)
                                             : json_integer(number));
    }
    return json_pack("{s:o}", "enum", words);
}

const wi_kind wi_kind_word = {.what = "word", .read = read_word, .write = write_word, .json = json_word};

static void read_text(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    if (!wi_want_scalar(r, key, node))
        return;
    if (!node->text[0]) {
        wi_complain(r, node->place, "%s is empty", key->name);
        return;
    }
    memcpy(at, &node->text, sizeof node->text); /* the tree lives as long as the scenario */
}

static const char *text_at(const void *at)
{
    const char *text;
    memcpy(&text, at, sizeof text);
    return text;
}

static bool text_given(const wi_key *key, const void *at)
{
    (void)key;
    return text_at(at) != NULL;
}

static void write_text(wi_writer *w, const wi_key *key, const void *at)
{
    (void)key;
    wi_write_text(w, text_at(at));
}

const wi_kind wi_kind_text = {
    .what = "text", .read = read_text, .write = write_text, .given = text_given, .schema = WI_JSON_ANY_TEXT};

static void check_readable(wi_reader *r, const wi_key *key, const wi_node *node, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        wi_complain(r, node->place, "%s: no file '%s': %s", key->name, path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        wi_complain(r, node->place, "%s: '%s' is a folder; want a file", key->name, path);
    else if (access(path, R_OK) != 0)
        wi_complain(r, node->place, "%s: '%s' cannot be read: %s", key->name, path, strerror(errno));
}

static void read_path(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const size_t errors = r->errors;
    const char *path = NULL;
    read_text(r, key, node, at);
    if (r->errors > errors || r->no_memory || !r->base_dir)
        return;
    path = text_at(at);
    if (path[0] != '/') {
        path = wi_text_format(r->arena, "%s/%s", strcmp(r->base_dir, "/") == 0 ? "" : r->base_dir, path);
        r->no_memory = !path;
        memcpy(at, &path, sizeof path);
    }
    if (path && !(key->pattern && wi_is_file_pattern(path)))
        check_readable(r, key, node, path);
}

/* A file from the folder of the text, where the two have more than the root in common. */
static void write_path(wi_writer *w, const wi_key *key, const void *at)
{
    const char *path = text_at(at), *folder = w->folder;
    size_t common = 0, i = 0;
    char text[4096] = "";
    (void)key;
    while (folder && path[i] && path[i] == folder[i]) {
        i++;
        if (path[i - 1] == '/')
            common = i;
    }
    if (folder && !folder[i] && path[i] == '/') /* the file lies in the folder or below it */
        common = i + 1;
    size_t up = 0;
    for (const char *c = folder && common <= strlen(folder) ? folder + common : ""; *c; c++)
        up += c[0] != '/' && (c[1] == '/' || !c[1]);
    if (common <= 1 || 3 * up + strlen(path + common) >= sizeof text) {
        wi_write_text(w, path);
        return;
    }
    for (size_t k = 0; k < up; k++)
        strcat(text, "../");
    strcat(text, path + common);
    wi_write_text(w, text);
}

const wi_kind wi_kind_path = {.what = "file",
                              .example = "net.graphml",
                              .read = read_path,
                              .write = write_path,
                              .given = text_given,
                              .schema = WI_JSON_ANY_TEXT};

/* The format of scenario files: there is one so far, so nothing is stored. */
static void read_version(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    (void)at;
    if (wi_want_scalar(r, key, node) && strcmp(node->text, "1") != 0)
        wi_complain(r, node->place,
                    "weir is '%s': a format of scenario files that this version does not know; it knows 1",
                    node->text);
}

static void write_version(wi_writer *w, const wi_key *key, const void *at)
{
    (void)key;
    (void)at;
    fputc('1', w->out);
}

const wi_kind wi_kind_version = {.what = "number",
                                 .example = "1",
                                 .read = read_version,
                                 .write = write_version,
                                 .schema = "{'enum': [1, '1']}"};
