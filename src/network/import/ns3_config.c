/* Reads config.txt of ns-3's RDMA fork: a key and its fields a line; what stands in braces behind them, and lines of `#`, are comments. */
#include "network/import/import.h"

#include <math.h>
#include <string.h>

#define NAME(name, fields) #name,
static const char *const names[WI_NS3_N_KEYS] = {WI_NS3_KEYS(NAME)};
#define FIELDS(name, fields) fields,
static const size_t fields[WI_NS3_N_KEYS] = {WI_NS3_KEYS(FIELDS)};

enum { PAIRS_MOST = (WI_NS3_FIELDS - 1) / 2 };

const char *wi_ns3_key_name(wi_ns3_key key)
{
    return names[key];
}

bool wi_ns3_key_of(wi_slice word, wi_ns3_key *key)
{
    for (int i = 0; i < WI_NS3_N_KEYS; i++)
        if (word.length == strlen(names[i]) && memcmp(word.text, names[i], word.length) == 0) {
            *key = (wi_ns3_key)i;
            return true;
        }
    return false;
}

/* Fields that a map states: pairs of a rate and a value. */
static size_t wanted(wi_source *source, wi_slice word, wi_ns3_key key, const wi_ns3_value *v)
{
    if (fields[key])
        return fields[key];
    const double pairs = v->n ? v->number[0] : (double)NAN;
    if (!(pairs >= 1 && pairs <= PAIRS_MOST && pairs == floor(pairs))) {
        wi_fail_slice(source, word, "%s begins with the number of its pairs, 1 to %d", names[key],
                      PAIRS_MOST);
        return 0;
    }
    return 1 + 2 * (size_t)pairs;
}

static void read_value(wi_source *source, wi_slice word, wi_ns3_key key, wi_slice rest, wi_ns3_value *v)
{
    wi_slice field;
    v->line = source->line;
    v->column = wi_column(source, word);
    while (wi_next_word(&rest, &field) && field.text[0] != '{') {
        if (v->n == WI_NS3_FIELDS) {
            wi_fail_slice(source, field, "%s has more than %d fields", names[key], WI_NS3_FIELDS);
            return;
        }
        if (v->n == 0)
            wi_slice_copy(field, v->text, sizeof v->text);
        if (!wi_slice_number(field, &v->number[v->n]))
            v->number[v->n] = (double)NAN;
        v->n++;
    }
    const size_t n = wanted(source, word, key, v);
    if (source->status == WEIR_OK && v->n != n)
        wi_fail_slice(source, word, "%s has %zu fields; want %zu", names[key], v->n, n);
}

weir_status wi_ns3_config_read(wi_source *source, wi_ns3_config *out)
{
    wi_slice line, word;
    char shown[WI_SHOWN];
    wi_source_text(source);
    while (wi_next_line(source, &line)) {
        wi_ns3_key key;
        if (!wi_next_word(&line, &word) || word.text[0] == '#')
            continue;
        if (!wi_ns3_key_of(word, &key))
            wi_fail_slice(source, word, "no key '%s' in a configuration of ns-3's RDMA fork",
                          wi_shown(word, shown));
        else if (out->value[key].line)
            wi_fail_slice(source, word, "%s is given twice", names[key]);
        else
            read_value(source, word, key, line, &out->value[key]);
    }
    return source->status;
}
