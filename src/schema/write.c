/* Writes the resolved scenario: the tables of schema.h, with the values in force. */
#include "schema/schema.h"

#include <string.h>

/* The character at `text`, its length in *length; broken UTF-8 counts byte by byte. */
static unsigned decode(const unsigned char *text, int *length)
{
    const unsigned c = text[0];
    const int n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
    unsigned code = n == 1 ? c : n == 4 ? c & 7 : n == 3 ? c & 15 : c & 31;
    *length = 1;
    for (int i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0xfffd;
        code = code << 6 | (text[i] & 0x3f);
    }
    if (n == 0)
        return 0xfffd;
    *length = n;
    return code;
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_./-+%", c);
}

/* Plain where no YAML reader, 1.1 or 1.2, could take the text for anything but text or a number. */
static bool is_plain(const char *text)
{
    static const char *const reserved[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
    if (!text[0] || strchr(".-+%", text[0]))
        return false;
    for (const char *c = text; *c; c++) {
        if (!is_word_char(*c))
            return false;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcasecmp(text, reserved[i]) == 0)
            return false;
    }
    return true;
}

void wi_write_text(wi_writer *w, const char *text)
{
    if (is_plain(text)) {
        fputs(text, w->out);
        return;
    }
    fputc('"', w->out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length;
        const unsigned code = decode(at, &length);
        if (code == '"' || code == '\\')
            fprintf(w->out, "\\%c", (int)code);
        else if ((code >= 0x20 && code < 0x7f) || (code >= 0xa1 && code < 0x2000) ||
                 (code >= 0x3000 && code < 0xd800))
            fwrite(at, 1, (size_t)length, w->out);
        else
            fprintf(w->out, "\\U%08X", code); /* blanks and controls of all sorts */
        at += length;
    }
    fputc('"', w->out);
}

static void start_key(wi_writer *w, bool first)
{
    if (w->flow)
        fputs(first ? "" : ", ", w->out);
    else if (w->after_dash)
        fputc(' ', w->out);
    else if (w->depth > 0 || !first)
        fprintf(w->out, "\n%*s", 2 * w->depth, "");
    w->after_dash = false;
}

/* In block style every key starts a line of its own, one level deeper than the section's own key. */
static void write_keys(wi_writer *w, const wi_section *section, const void *at, bool *first)
{
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k); i++) {
        const wi_key *const key = k.key;
        const char *owner = (const char *)at + k.base;
        if (!wi_key_picked(&k, at) || !wi_key_given(k.section, key, owner))
            continue;
        start_key(w, *first);
        *first = false;
        fprintf(w->out, "%s:", key->name);
        if (w->flow || !key->kind->block)
            fputc(' ', w->out);
        w->depth++;
        key->kind->write(w, key, owner + key->offset);
        w->depth--;
    }
}

void wi_write_section(wi_writer *w, const wi_section *section, const void *at)
{
    bool first = true;
    if (w->flow) {
        fputc('{', w->out);
        write_keys(w, section, at, &first);
        fputc('}', w->out);
        return;
    }
    write_keys(w, section, at, &first);
    if (first)
        fputs(" {}", w->out);
}
