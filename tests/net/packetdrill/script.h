/*
 * A packetdrill script as a list of events. Language: google/packetdrill, gtests/net/packetdrill/lexer.l and parser.y
 * (2c4001c). What it has beyond TCP between two hosts (ICMP, UDP, encapsulation, fuzzing, urgent data, MD5) is read over and named in
 * `lacks`; what is no packetdrill at all is an error with its line. Of FreeBSD's dialect (nplab/packetdrill) #ifdef is
 * read, and UDP encapsulation and options that must not come are named so too.
 */
#ifndef TESTS_NET_PACKETDRILL_SCRIPT_H
#define TESTS_NET_PACKETDRILL_SCRIPT_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pd_what { PD_IN, PD_OUT, PD_CALL, PD_SHELL, PD_CODE };
enum pd_when { PD_AT, PD_AFTER, PD_ANY, PD_RANGE_AT, PD_RANGE_AFTER };
enum pd_ecn { PD_ECN_UNSAID, PD_NOECN, PD_ECT0, PD_ECT1, PD_ECT01, PD_CE };
enum { PD_BLOCKS = 4 };

typedef struct pd_segment {
    char flags[12]; /* as written: S F P R . E W C A and digits of ACE */
    bool counts;    /* AccECN's option */
    uint32_t seq, length, ack, block[PD_BLOCKS][2], n_blocks;
    int64_t win, mss, wscale; /* -1: not there */
    bool acks, sack_ok, stamped, any_options;
    uint32_t val, ecr;
    enum pd_ecn ecn;
} pd_segment;

typedef struct pd_event {
    enum pd_what what;
    enum pd_when when;
    int line;
    int64_t us, end_us;
    pd_segment segment;
    char name[32];  /* of a call */
    char *text;     /* a call's arguments, a shell's or Python's lines */
    int64_t result; /* of a call */
} pd_event;

typedef struct pd_script {
    pd_event *event;
    size_t n;
    int64_t tolerance_us;
    uint32_t mss;                /* of the peer's segments that come as one; 0: as its SYN says */
    char lacks[128], error[160]; /* empty: nothing */
} pd_script;

/* Where the reader stands. */
typedef struct pd_reader {
    const char *at;
    int line;
    pd_script *script;
} pd_reader;

/* Keep the first of several texts. */
__attribute__((format(printf, 3, 4))) static inline void pd_note(char *into, size_t size, const char *format,
                                                                 ...)
{
    va_list args;
    if (*into)
        return;
    va_start(args, format);
    vsnprintf(into, size, format, args);
    va_end(args);
}
#define pd_lack(s, ...) pd_note((s)->lacks, sizeof(s)->lacks, __VA_ARGS__)
#define pd_wrong(r, want)                                                                                   \
    pd_note((r)->script->error, sizeof(r)->script->error, "line %d: want %s at \"%.20s\"", (r)->line, want, \
            (r)->at)

/* Go on to the next token: past blanks and comments. Returns its first character. */
static inline char pd_peek(pd_reader *r)
{
    for (;;) {
        if (*r->at == '\n')
            r->line++;
        if (*r->at && isspace((unsigned char)*r->at)) {
            r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            while (*r->at && *r->at != '\n')
                r->at++;
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            for (; *r->at && !(r->at[0] == '*' && r->at[1] == '/'); r->at++)
                r->line += *r->at == '\n';
            r->at += *r->at ? 2 : 0;
        } else {
            return *r->at;
        }
    }
}

static inline bool pd_take(pd_reader *r, const char *token)
{
    pd_peek(r);
    const size_t n = strlen(token);
    const bool word = isalnum((unsigned char)token[n - 1]);
    if (strncmp(r->at, token, n) != 0 || (word && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')))
        return false;
    r->at += n;
    return true;
}

static inline void pd_want(pd_reader *r, const char *token)
{
    if (!pd_take(r, token))
        pd_wrong(r, token);
}

/* A whole number; "0..." is 0 and an ellipsis. */
static inline uint32_t pd_whole(pd_reader *r)
{
    char *end;
    if (!isdigit((unsigned char)pd_peek(r)))
        pd_wrong(r, "a number");
    const unsigned long long x = strtoull(r->at, &end, 10);
    r->at = end;
    return (uint32_t)x;
}

/* A time in seconds, in microseconds. */
static inline int64_t pd_time(pd_reader *r)
{
    int64_t us = 0, unit = 1000000;
    pd_peek(r);
    if (!isdigit((unsigned char)r->at[0]) && !(r->at[0] == '.' && isdigit((unsigned char)r->at[1])))
        pd_wrong(r, "a time");
    for (; isdigit((unsigned char)*r->at); r->at++)
        us = us * 10 + (*r->at - '0');
    us *= unit;
    if (r->at[0] == '.' && isdigit((unsigned char)r->at[1]))
        for (r->at++; isdigit((unsigned char)*r->at); r->at++)
            us += (*r->at - '0') * (unit /= 10);
    return us;
}

/* The text up to `end`, which is passed; quoted strings are passed whole where `quotes`. */
static inline char *pd_until(pd_reader *r, const char *end, bool quotes)
{
    const char *from = r->at;
    while (*r->at && strncmp(r->at, end, strlen(end)) != 0) {
        if (quotes && *r->at == '"') {
            for (r->at++; *r->at && *r->at != '"'; r->at++)
                r->at += *r->at == '\\' && r->at[1];
        }
        r->line += *r->at == '\n';
        r->at += *r->at ? 1 : 0;
    }
    if (!*r->at)
        pd_wrong(r, end);
    char *text = strndup(from, (size_t)(r->at - from));
    r->at += *r->at ? strlen(end) : 0;
    return text;
}

/* [+]t, t~t, +t~+t, or * */
static inline void pd_read_time(pd_reader *r, pd_event *e)
{
    if (pd_take(r, "*")) {
        e->when = PD_ANY;
        return;
    }
    e->when = pd_take(r, "+") ? PD_AFTER : PD_AT;
    e->us = e->end_us = pd_time(r);
    if (!pd_take(r, "~"))
        return;
    if (e->when == PD_AFTER)
        pd_want(r, "+");
    e->when = e->when == PD_AFTER ? PD_RANGE_AFTER : PD_RANGE_AT;
    e->end_us = pd_time(r);
    if (e->end_us < e->us)
        pd_wrong(r, "a range that ends after it begins");
}

/* [ect0], (ce), [tos 0x2], [flowlabel 0x1], [ttl 3] */
static inline void pd_read_ip(pd_reader *r, pd_segment *s)
{
    static const char *const words[] = {"", "noecn", "ect0", "ect1", "ect01", "ce"};
    const char *close = pd_peek(r) == '[' ? "]" : ")";
    if (!pd_take(r, "[") && !pd_take(r, "("))
        return;
    for (int i = PD_NOECN; i <= PD_CE; i++)
        if (pd_take(r, words[i]))
            s->ecn = (enum pd_ecn)i;
    if (s->ecn == PD_ECN_UNSAID || pd_peek(r) == ',') {
        pd_lack(r->script, "tos, flow labels and ttl of a packet");
        free(pd_until(r, close, false));
    } else {
        pd_want(r, close);
    }
}

static inline void pd_read_blocks(pd_reader *r, pd_segment *s)
{
    do {
        const uint32_t from = pd_whole(r);
        pd_want(r, ":");
        const uint32_t to = pd_whole(r);
        if (s->n_blocks == PD_BLOCKS) {
            pd_wrong(r, "four SACK blocks at most");
            return;
        }
        s->block[s->n_blocks][0] = from;
        s->block[s->n_blocks++][1] = to;
    } while (isdigit((unsigned char)pd_peek(r)));
}

static inline void pd_read_options(pd_reader *r, pd_segment *s)
{
    if (!pd_take(r, "<"))
        return;
    if (pd_take(r, "...")) {
        s->any_options = true;
        pd_want(r, ">");
        return;
    }
    do {
        if (pd_take(r, "mss")) {
            s->mss = pd_whole(r);
        } else if (pd_take(r, "wscale")) {
            s->wscale = pd_whole(r);
        } else if (pd_take(r, "sackOK")) {
            s->sack_ok = true;
        } else if (pd_take(r, "sack")) {
            pd_read_blocks(r, s);
        } else if (pd_take(r, "TS")) {
            s->stamped = true;
            pd_want(r, "val");
            s->val = pd_whole(r);
            pd_want(r, "ecr");
            s->ecr = pd_whole(r);
        } else if (pd_take(r, "FOEXP") || pd_take(r, "FO")) {
            pd_lack(r->script, "fast open");
            for (pd_peek(r); isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++)
                ;
        } else if (pd_take(r, "md5")) {
            pd_lack(r->script, "MD5 signatures");
            for (pd_peek(r); isalnum((unsigned char)*r->at) || *r->at == '_'; r->at++)
                ;
        } else if (pd_take(r, "ECN")) {
            s->counts = true;
            while (pd_take(r, "e0b") || pd_take(r, "e1b") || pd_take(r, "ceb"))
                pd_whole(r);
        } else if (!pd_take(r, "nop") && !pd_take(r, "eol")) {
            pd_wrong(r, "a TCP option");
            return;
        }
    } while (pd_take(r, ","));
    pd_want(r, ">");
}

/* What stands before flags: encapsulation, ports, and protocols beside TCP. Returns whether a TCP segment follows. */
static inline bool pd_read_prefix(pd_reader *r, pd_segment *s)
{
    static const char *const outer[] = {"ipv4", "ipv6", "gre", "GREv0", "mpls"};
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++)
        if (pd_take(r, outer[i])) {
            pd_lack(r->script, "encapsulated packets");
            while (*r->at && *r->at != '\n')
                r->at++;
            return false;
        }
    pd_read_ip(r, s);
    const bool udp = pd_take(r, "udp");
    if (udp || pd_take(r, "icmp")) {
        pd_lack(r->script, udp ? "UDP packets" : "ICMP packets");
        while (*r->at && *r->at != '\n')
            r->at++;
        return false;
    }
    if (isdigit((unsigned char)pd_peek(r))) {
        pd_whole(r);
        pd_want(r, ">");
        pd_whole(r);
        pd_lack(r->script, "several connections by their ports");
    }
    return true;
}

static inline void pd_read_segment(pd_reader *r, pd_event *e)
{
    pd_segment *s = &e->segment;
    size_t n = 0;
    s->win = s->mss = s->wscale = -1;
    if (!pd_read_prefix(r, s))
        return;
    for (pd_peek(r);
         (isalnum((unsigned char)*r->at) || *r->at == '.' || *r->at == '-') && n + 1 < sizeof s->flags;
         r->at++)
        s->flags[n++] = *r->at;
    if (n > 0 && n + 1 < sizeof s->flags && !strchr(s->flags, '.') && pd_take(r, "."))
        s->flags[n] = '.';
    if (n == 0 || isdigit((unsigned char)s->flags[0]))
        pd_wrong(r, "TCP flags");
    s->seq = pd_whole(r);
    pd_want(r, ":");
    const uint32_t end = pd_whole(r);
    pd_want(r, "(");
    s->length = pd_whole(r);
    pd_want(r, ")");
    pd_take(r, "!"); /* FreeBSD's: not relative to the connection's first */
    if (end != s->seq + s->length)
        pd_wrong(r, "sequence numbers that differ by the length");
    if ((s->acks = pd_take(r, "ack")))
        s->ack = pd_whole(r);
    if (pd_take(r, "win"))
        s->win = pd_whole(r);
    if (pd_take(r, "urg")) {
        pd_whole(r);
        pd_lack(r->script, "urgent data");
    }
    pd_read_options(r, s);
    if (pd_take(r, "{")) {
        pd_lack(r->script, "fuzzing");
        free(pd_until(r, "}", false));
    }
}

/* Arguments up to the closing parenthesis. */
static inline char *pd_read_arguments(pd_reader *r)
{
    const char *from = r->at;
    for (int depth = 1; *r->at; r->at++) {
        r->line += *r->at == '\n';
        depth += *r->at == '(' ? 1 : *r->at == ')' ? -1 : 0;
        if (*r->at == '"')
            for (r->at++; *r->at && *r->at != '"'; r->at++)
                r->at += *r->at == '\\' && r->at[1];
        if (depth == 0)
            break;
    }
    char *text = strndup(from, (size_t)(r->at - from));
    pd_want(r, ")");
    return text;
}

/* [...end] name(arguments) = result [ERRNO] [(note)] */
static inline void pd_read_call(pd_reader *r, pd_event *e)
{
    size_t n = 0;
    if (pd_take(r, "..."))
        pd_time(r); /* when a blocking call returns: the next event counts from its beginning */
    for (pd_peek(r); (isalnum((unsigned char)*r->at) || *r->at == '_') && n + 1 < sizeof e->name; r->at++)
        e->name[n++] = *r->at;
    if (n == 0 || pd_peek(r) != '(') {
        pd_wrong(r, "a segment, a call, `shell` or %{ code }%");
        return;
    }
    pd_want(r, "(");
    e->text = pd_read_arguments(r);
    pd_want(r, "=");
    pd_peek(r);
    char *end;
    e->result = strtoll(r->at, &end, 0);
    for (r->at = end; *r->at && !isspace((unsigned char)*r->at); r->at++)
        ;
    if (isalpha((unsigned char)pd_peek(r)))
        while (isalnum((unsigned char)*r->at) || *r->at == '_')
            r->at++;
    if (pd_take(r, "("))
        free(pd_until(r, ")", false));
}

static inline void pd_read_action(pd_reader *r, pd_event *e)
{
    const bool in = pd_take(r, "<");
    if (in || pd_take(r, ">")) {
        e->what = in ? PD_IN : PD_OUT;
        pd_read_segment(r, e);
    } else if (pd_take(r, "`")) {
        e->what = PD_SHELL;
        e->text = pd_until(r, "`", false);
    } else if (pd_take(r, "%{")) {
        e->what = PD_CODE;
        e->text = pd_until(r, "}%", false);
    } else {
        e->what = PD_CALL;
        pd_read_call(r, e);
    }
    if (e->what != PD_OUT && (e->when == PD_ANY || e->when == PD_RANGE_AT || e->when == PD_RANGE_AFTER))
        pd_wrong(r, "a time without a range, as this is no outbound packet");
}

/* Lines that begin with --. */
static inline void pd_read_flags(pd_reader *r)
{
    while (pd_peek(r) == '-' && r->at[1] == '-') {
        const char *from = r->at + 2;
        while (*r->at && *r->at != '\n')
            r->at++;
        if (strncmp(from, "tolerance_usecs=", 16) == 0)
            r->script->tolerance_us = strtoll(from + 16, NULL, 10);
        else if (strncmp(from, "mss=", 4) == 0)
            r->script->mss = (uint32_t)strtoul(from + 4, NULL, 10);
        else if (strncmp(from, "define", 6) == 0)
            pd_lack(r->script, "--define");
    }
}

static inline void pd_free(pd_script *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->event[i].text);
    free(s->event);
}

/* What FreeBSD's dialect has besides. Returns whether the script uses it, which ends the reading. */
static inline bool pd_dialect(pd_script *s, const char *text)
{
    if (strstr(text, "/udp("))
        pd_lack(s, "TCP over UDP");
    return *s->lacks;
}

/* A copy without what #ifdef, #ifndef, #else and #endif leave out; lines stay where they are. STANDARD is defined: of
 * several behaviours weir has that of the RFCs. Other lines with a # are comments of Python's. */
static inline char *pd_preprocess(pd_script *s, const char *text)
{
    char *copy = strdup(text), name[32];
    bool out[16] = {false};
    int depth = 0;
    for (char *line = copy; *line;) {
        const size_t n = strcspn(line, "\n");
        const bool ifdef = strncmp(line, "#ifdef ", 7) == 0, ifndef = strncmp(line, "#ifndef ", 8) == 0,
                   other = strncmp(line, "#else", 5) == 0, end = strncmp(line, "#endif", 6) == 0;
        if ((ifdef || ifndef) && depth < 15 && sscanf(line, "%*s %31s", name) == 1) {
            out[depth + 1] = out[depth] || (strcmp(name, "STANDARD") == 0) != ifdef;
            depth++;
        } else if (other && depth > 0) {
            out[depth] = out[depth - 1] || !out[depth];
        } else if (end && depth > 0) {
            depth--;
        }
        if (out[depth] || ifdef || ifndef || other || end)
            memset(line, ' ', n);
        line += n + (line[n] != 0);
    }
    if (depth > 0)
        pd_note(s->error, sizeof s->error, "want #endif before the end");
    return copy;
}

/* Read a script; script->error says what is wrong with it. */
static inline pd_script pd_read(const char *text)
{
    pd_script script = {.tolerance_us = 4000};
    char *const copy = pd_preprocess(&script, text);
    pd_reader r = {copy, 1, &script};
    if (pd_dialect(&script, copy)) {
        free(copy);
        return script;
    }
    pd_read_flags(&r);
    while (pd_peek(&r) && !*script.error) {
        script.event = realloc(script.event, (script.n + 1) * sizeof *script.event);
        pd_event *e = &script.event[script.n++];
        memset(e, 0, sizeof *e);
        e->line = r.line;
        e->when = PD_AFTER;
        if (pd_peek(&r) != '`') /* a shell's lines at the begin and the end have no time */
            pd_read_time(&r, e);
        pd_read_action(&r, e);
        pd_read_flags(&r);
    }
    free(copy);
    return script;
}

#endif
