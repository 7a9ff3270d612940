/*
 * The text of a BRITE configuration: the word BriteConfig; blocks BeginModel ... EndModel of lines
 * "key = value"; one block BeginOutput ... EndOutput, which says in which formats BRITE writes and is not
 * used here. # begins a comment. Keys may come in any order, as BRITE's Java engine has it.
 */
#include "topology/formats/brite_conf.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"

static wi_slice trimmed(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (wi_slice){begin, (size_t)(end - begin)};
}

/* The next line that holds something, without its comment. */
static bool next(wi_source *source, wi_slice *line)
{
    while (wi_next_line(source, line)) {
        const char *comment = memchr(line->text, '#', line->length);
        *line = trimmed(line->text, comment ? comment : line->text + line->length);
        if (line->length > 0)
            return true;
    }
    return false;
}

static weir_status take_key(const wi_conf *conf, wi_conf_block *block, int at, wi_slice line)
{
    char shown[WI_SHOWN];
    const char *equals = memchr(line.text, '=', line.length);
    if (!equals)
        return wi_fail_slice(conf->diag, conf->source, at, line, "'%s'; want key = value, or EndModel",
                             wi_shown(line, shown));
    const wi_conf_key key = {trimmed(line.text, equals), trimmed(equals + 1, line.text + line.length), at,
                             false};
    if (key.name.length == 0 || key.value.length == 0)
        return wi_fail_slice(conf->diag, conf->source, at, line, "'%s': the %s is empty",
                             wi_shown(line, shown), key.name.length == 0 ? "key" : "value");
    for (size_t i = 0; i < block->n; i++)
        if (block->key[i].name.length == key.name.length &&
            memcmp(block->key[i].name.text, key.name.text, key.name.length) == 0)
            return wi_fail_slice(conf->diag, conf->source, at, line, "%s is given twice in this model",
                                 wi_shown(key.name, shown));
    if (block->n == WI_CONF_KEYS)
        return wi_fail_slice(conf->diag, conf->source, at, line, "more than %d keys in a model",
                             WI_CONF_KEYS);
    block->key[block->n++] = key;
    return WEIR_OK;
}

/* The lines of a block up to `end`; a null block takes none of them. */
static weir_status take_block(const wi_conf *conf, wi_conf_block *block, const char *end)
{
    wi_slice line;
    const int begin = conf->source->line;
    while (next(conf->source, &line)) {
        if (wi_slice_is(line, end))
            return WEIR_OK;
        const weir_status st = block ? take_key(conf, block, conf->source->line, line) : WEIR_OK;
        if (st != WEIR_OK)
            return st;
    }
    return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, begin, 0,
                        "the file breaks off: no %s for the block that begins here", end);
}

weir_status wi_conf_parse(wi_conf *conf)
{
    wi_source *const source = conf->source;
    wi_slice line;
    char shown[WI_SHOWN];
    weir_status st = wi_source_hold(source);
    if (st == WEIR_OK)
        st = wi_source_text(source);
    if (st != WEIR_OK)
        return st;
    if (!next(source, &line) || !wi_slice_is(line, "BriteConfig"))
        return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, source->line, 0,
                            "no BRITE configuration: the first word is not BriteConfig");
    while (st == WEIR_OK && next(source, &line)) {
        if (wi_slice_is(line, "BeginOutput")) {
            st = take_block(conf, NULL, "EndOutput");
        } else if (!wi_slice_is(line, "BeginModel")) {
            st = wi_fail_slice(conf->diag, conf->source, source->line, line,
                               "'%s'; want BeginModel or BeginOutput", wi_shown(line, shown));
        } else if (conf->n_models == WI_CONF_MODELS) {
            st = wi_fail_slice(conf->diag, conf->source, source->line, line, "more than %d models",
                               WI_CONF_MODELS);
        } else {
            wi_conf_block *block = &conf->model[conf->n_models++];
            block->line = source->line;
            st = take_block(conf, block, "EndModel");
        }
    }
    if (st == WEIR_OK && conf->n_models == 0)
        st = weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, source->line, 0,
                          "no BeginModel: no model at all");
    return st;
}

const wi_conf_key *wi_conf_find(wi_conf_block *block, const char *name)
{
    for (size_t i = 0; i < block->n; i++)
        if (block->key[i].name.length == strlen(name) &&
            memcmp(block->key[i].name.text, name, block->key[i].name.length) == 0) {
            block->key[i].used = true;
            return &block->key[i];
        }
    return NULL;
}

static weir_status missing(const wi_conf *conf, const wi_conf_block *block, const char *name)
{
    char text[WI_CONF_KEYS][WI_SHOWN];
    const char *known[WI_CONF_KEYS];
    for (size_t i = 0; i < block->n; i++)
        known[i] = wi_shown(block->key[i].name, text[i]);
    const char *near = wi_nearest(name, known, block->n);
    return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, block->line, 0,
                        "the model that begins here has no %s%s%s%s", name, near ? " (is '" : "",
                        near ? near : "", near ? "' meant for it?)" : "");
}

weir_status wi_conf_number(const wi_conf *conf, wi_conf_block *block, const char *name, double low,
                           double high, double *out)
{
    const wi_conf_key *key = wi_conf_find(block, name);
    return key ? wi_number_field(conf->diag, conf->source, key->line, key->value, name, low, high, out)
               : missing(conf, block, name);
}

weir_status wi_conf_count(const wi_conf *conf, wi_conf_block *block, const char *name, uint32_t low,
                          uint32_t high, uint32_t *out)
{
    double value = 0;
    char shown[WI_SHOWN];
    const weir_status st = wi_conf_number(conf, block, name, low, high, &value);
    if (st != WEIR_OK)
        return st;
    *out = (uint32_t)value;
    const wi_conf_key *key = wi_conf_find(block, name);
    return value == floor(value)
               ? WEIR_OK
               : wi_fail_slice(conf->diag, conf->source, key->line, key->value,
                               "%s is '%s'; want a whole number", name, wi_shown(key->value, shown));
}

void wi_conf_warn_unused(const wi_conf *conf)
{
    char shown[WI_SHOWN];
    for (size_t m = 0; m < conf->n_models; m++)
        for (size_t i = 0; i < conf->model[m].n; i++)
            if (!conf->model[m].key[i].used)
                weir_warn_at(conf->diag, conf->source->name, conf->model[m].key[i].line, 0,
                             "%s means nothing in this model", wi_shown(conf->model[m].key[i].name, shown));
}
