/*
 * What a script sets up before it can be played, and what of it weir has not. A need without counterpart is named in
 * script->lacks, and the script is skipped by that name; nothing else skips one.
 */
#ifndef TESTS_NET_PACKETDRILL_SETTING_H
#define TESTS_NET_PACKETDRILL_SETTING_H

#include "net/packetdrill/script.h"
#include "net/wire.h"

typedef struct pd_setting {
    uint32_t congestion;
    uint32_t mss;    /* of the peer's SYN */
    uint32_t wscale; /* the peer's */
    bool sack, rack, ecn, accurate, restart, paced, probes;
    bool counts;          /* AccECN's option stands beside its field */
    bool sends, receives; /* data goes out, comes in */
    bool active;          /* connect() */
    bool asks;            /* for ECN, where it opens the connection */
    bool ends;            /* with a FIN of the script's */
    int sockets;
} pd_setting;

enum pd_obeyed {
    PD_NOTHING, /* no counterpart, and nothing that is compared depends on it */
    PD_ONLY,    /* weir has one value of it */
    PD_SACK_ON,
    PD_RACK_ON,
    PD_PROBES,
    PD_ECN_ON,
    PD_COUNTS,
    PD_RESTART,
    PD_CONTROL
};

typedef struct pd_knob {
    const char *name;
    enum pd_obeyed obeyed;
    const char *only;
} pd_knob;

/* Segmentation offload, buffers of sockets and caches do not occur in weir: it sends segments as the windows allow. */
static const pd_knob pd_knobs[] = {
    {"net.ipv4.tcp_congestion_control", PD_CONTROL, NULL},
    {"net.ipv4.tcp_sack", PD_SACK_ON, NULL},
    {"net.ipv4.tcp_recovery", PD_RACK_ON, NULL},
    {"net.ipv4.tcp_early_retrans", PD_PROBES, NULL},
    {"net.ipv4.tcp_ecn", PD_ECN_ON, NULL},
    {"net.ipv4.tcp_ecn_option", PD_COUNTS, NULL},
    {"net.ipv4.tcp_slow_start_after_idle", PD_RESTART, NULL},
    {"net.ipv4.tcp_frto", PD_ONLY, "2"},
    {"net.ipv4.tcp_reordering", PD_ONLY, "3"},
    {"net.ipv4.tcp_pacing_ss_ratio", PD_ONLY, "200"},
    {"net.ipv4.tcp_pacing_ca_ratio", PD_ONLY, "120"},
    {"net.ipv4.tcp_fack", PD_ONLY, "0"},
    {"net.ipv4.tcp_dsack", PD_ONLY, "1"},
    {"hystart_detect", PD_ONLY, "3"},
    {"net.ipv4.tcp_timestamps", PD_NOTHING, NULL},
    {"net.inet.tcp.drop_synfin", PD_NOTHING, NULL},
    {"net.ipv4.tcp_window_scaling", PD_NOTHING, NULL},
    {"net.ipv4.tcp_min_tso_segs", PD_NOTHING, NULL},
    {"net.ipv4.tcp_tso_win_divisor", PD_NOTHING, NULL},
    {"net.ipv4.tcp_tso_rtt_log", PD_NOTHING, NULL},
    {"net.ipv4.tcp_wmem", PD_NOTHING, NULL},
    {"net.ipv4.tcp_rmem", PD_NOTHING, NULL},
    {"net.ipv4.tcp_mem", PD_NOTHING, NULL},
    {"net.ipv4.tcp_autocorking", PD_NOTHING, NULL},
    {"net.ipv4.tcp_no_metrics_save", PD_NOTHING, NULL},
    {"net.ipv4.tcp_notsent_lowat", PD_NOTHING, NULL},
    {"net.ipv4.tcp_limit_output_bytes", PD_NOTHING, NULL},
    {"net.ipv4.tcp_min_rtt_wlen", PD_NOTHING, NULL},
    {"net.ipv4.tcp_max_reordering", PD_NOTHING, NULL},
    {"net.ipv4.tcp_moderate_rcvbuf", PD_NOTHING, NULL},
    {"net.core.wmem_max", PD_NOTHING, NULL},
    {"net.core.rmem_max", PD_NOTHING, NULL},
    {"net.inet.tcp.sack.enable", PD_SACK_ON, NULL},
    {"net.inet.tcp.cc.algorithm", PD_CONTROL, NULL},
    {"net.inet.tcp.hostcache.purgenow", PD_NOTHING, NULL},
    {"net.inet.tcp.recvspace", PD_NOTHING, NULL},
    {"net.inet.tcp.sendspace", PD_NOTHING, NULL},
    {"kern.ipc.maxsockbuf", PD_NOTHING, NULL},
    {"net.inet.tcp.rfc1323", PD_NOTHING, NULL},
    {"net.inet.tcp.blackhole", PD_NOTHING, NULL},
    {"net.inet.tcp.delacktime", PD_ONLY, "40"},
    {"net.inet.tcp.rexmit_initial", PD_ONLY, "1000"},
    {"net.inet.tcp.rexmit_slop", PD_ONLY, "200"},
    {"net.inet.tcp.keepinit", PD_NOTHING, NULL},
    {"net.inet.tcp.insecure_rst", PD_NOTHING, NULL},
    {"net.inet.tcp.insecure_syn", PD_NOTHING, NULL},
    {"net.inet.tcp.syncookies", PD_NOTHING, NULL},
    {"net.inet.tcp.syncookies_only", PD_NOTHING, NULL},
    {"net.inet.tcp.ecn.enable", PD_ECN_ON, NULL},
    {"net.inet.tcp.rexmit_drop_options", PD_NOTHING, NULL},
};

static inline void pd_control(pd_script *s, pd_setting *set, const char *name)
{
    static const struct {
        const char *name;
        uint32_t control;
    } known[] = {{"cubic", NET_CC_CUBIC},  {"reno", NET_CC_NEWRENO}, {"newreno", NET_CC_NEWRENO},
                 {"dctcp", NET_CC_DCTCP},  {"bbr", NET_CC_BBR},      {"vegas", NET_CC_VEGAS},
                 {"prague", NET_CC_PRAGUE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) {
            set->congestion = known[i].control;
            return;
        }
    pd_lack(s, "congestion control %s", name);
}

static inline void pd_knob_set(pd_script *s, pd_setting *set, const char *name, const char *value)
{
    const pd_knob *k = pd_knobs, *end = pd_knobs + sizeof pd_knobs / sizeof *pd_knobs;
    while (k < end && strcmp(k->name, name) != 0)
        k++;
    if (k == end || (k->obeyed == PD_ONLY && strcmp(k->only, value) != 0)) {
        pd_lack(s, "sysctl %s = %s", name, value);
        return;
    }
    const bool on = strcmp(value, "0") != 0;
    switch (k->obeyed) {
    case PD_NOTHING:
    case PD_ONLY:
        break;
    case PD_SACK_ON:
        set->sack = on;
        break;
    case PD_RACK_ON:
        set->rack = atoi(value) & 1;
        break;
    case PD_PROBES:
        set->probes = on;
        break;
    case PD_ECN_ON:
        set->ecn = on;
        set->accurate = set->counts = strcmp(value, "3") == 0;
        set->asks = strcmp(value, "2") != 0;
        break;
    case PD_COUNTS:
        set->counts = on;
        break;
    case PD_RESTART:
        set->restart = on;
        break;
    case PD_CONTROL:
        pd_control(s, set, value);
        break;
    }
}

/* One command of a shell's line. */
static inline void pd_command(pd_script *s, pd_setting *set, char *line)
{
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);
    const char *const base = !word ? "" : strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
    if (!word || *word == '#' || strcmp(base, "defaults.sh") == 0 || strncmp(base, "sysctl_restore", 14) == 0)
        return;
    if (strcmp(base, "sysctl") == 0 || strcmp(base, "set_sysctls.py") == 0) {
        while ((word = strtok_r(NULL, " \t\\", &rest))) {
            char *value = strchr(word, '=');
            if (!value)
                continue; /* -q, -w, the rest of a value of several words */
            *value++ = 0;
            const bool path = strncmp(word, "/proc/sys/", 10) == 0;
            word += path ? 10 : 0;
            for (char *c = word; path && *c; c++)
                *c = *c == '/' ? '.' : *c;
            pd_knob_set(s, set, word, value);
        }
    } else if (strcmp(base, "echo") == 0 && rest && strstr(rest, "/hystart_detect")) {
        pd_knob_set(s, set, "hystart_detect", strtok_r(NULL, " \t>", &rest));
    } else if (strcmp(base, "tc") == 0 && rest && strstr(rest, "qdisc") && !strstr(rest, "limit")) {
        const char *kind = strstr(rest, "root ");
        set->paced = kind && strcmp(kind, "root fq") == 0;
        if (!set->paced && !(kind && strcmp(kind, "root pfifo") == 0))
            pd_lack(s, "tc: %s", kind ? kind : rest);
    } else {
        pd_lack(s, "shell: %s %s", base, rest ? rest : "");
    }
}

/* Commands are parted by line ends and semicolons; a backslash at a line's end joins the next. */
static inline void pd_shell(pd_script *s, pd_setting *set, const char *text)
{
    char *copy = strdup(text), *rest = NULL;
    for (char *c = copy; *c; c++)
        if (c[0] == '\\' && c[1] == '\n')
            c[0] = c[1] = ' ';
    for (char *line = strtok_r(copy, "\n;", &rest); line; line = strtok_r(NULL, "\n;", &rest))
        pd_command(s, set, line);
    free(copy);
}

static inline void pd_option(pd_script *s, pd_setting *set, const char *text)
{
    static const char *const without[] = {"SO_REUSEADDR", "SO_SNDBUF",         "IP_MTU_DISCOVER",
                                          "IP_TOS",       "IPV6_TCLASS",       "TCP_NODELAY",
                                          "SO_PRIORITY",  "TCP_NOTSENT_LOWAT", "SO_KEEPALIVE"};
    char name[32] = "", value[16] = "";
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strstr(text, without[i]))
            return;
    if (strstr(text, "TCP_CONGESTION") && sscanf(text, "%*[^\"]\"%15[a-z0-9]", value) == 1) {
        pd_control(s, set, value);
        return;
    }
    sscanf(text, "%*[^,], %*[^,], %31[A-Z0-9_]", name);
    pd_lack(s, "socket option %s", name);
}

static inline void pd_call_needs(pd_script *s, pd_setting *set, const pd_event *e)
{
    /* what an application does beside TCP, or, as shutdown, ends it with a FIN */
    static const char *const plain[] = {"bind",         "listen",     "fcntl",     "close",
                                        "shutdown",     "getsockopt", "ioctl",     "poll",
                                        "epoll_create", "epoll_ctl",  "epoll_wait"};
    static const char *const sends[] = {"write", "send", "sendto", "writev", "sendmsg"};
    static const char *const reads[] = {"read", "recv", "recvfrom", "recvmsg", "readv"};
    static const char *const flags[][2] = {{"MSG_FASTOPEN", "fast open"}, {"MSG_ZEROCOPY", "zero copy"},
                                           {"MSG_OOB", "urgent data"},    {"MSG_MORE", "MSG_MORE"},
                                           {"MSG_EOR", "MSG_EOR"},        {"MSG_ERRQUEUE", "error queues"}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strstr(e->text, flags[i][0]))
            pd_lack(s, "%s", flags[i][1]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(e->name, plain[i]) == 0)
            return;
    for (size_t i = 0; i < 5; i++) {
        set->sends |= strcmp(e->name, sends[i]) == 0;
        if (strcmp(e->name, sends[i]) == 0 || strcmp(e->name, reads[i]) == 0)
            return;
    }
    set->active |= strcmp(e->name, "connect") == 0;
    if (strcmp(e->name, "accept") == 0 || strcmp(e->name, "connect") == 0) {
        if (set->sockets++)
            pd_lack(s, "several connections");
    } else if (strcmp(e->name, "socket") == 0) {
        if (!strstr(e->text, "SOCK_STREAM"))
            pd_lack(s, "sockets other than of TCP");
    } else if (strcmp(e->name, "setsockopt") == 0) {
        pd_option(s, set, e->text);
    } else {
        pd_lack(s, "call %s", e->name);
    }
}

/* AccECN's counter, which a script writes as a digit or by its bits: AE, CWR and ECE. */
static inline uint32_t pd_ace(const pd_segment *g)
{
    const char *digit = strpbrk(g->flags, "01234567");
    if (digit)
        return (uint32_t)(*digit - '0');
    return (strchr(g->flags, 'A') ? 4u : 0u) + (strchr(g->flags, 'W') ? 2u : 0u) +
           (strchr(g->flags, 'E') ? 1u : 0u);
}

/* A connection has AccECN where its SYN offers it and the other end takes it; all else is a fall-back. */
static inline void pd_accurate_needs(pd_script *s, const pd_setting *set, const pd_event *e, bool in)
{
    const pd_segment *g = &e->segment;
    if (!set->accurate || !strchr(g->flags, 'S'))
        return;
    if (pd_ace(g) != (g->acks ? 2u : 7u))
        pd_lack(s, "fall-backs of AccECN, and a handshake that was marked");
    if (set->counts && (!in || !g->acks) && g->counts)
        pd_lack(s, "AccECN's option");
}

static inline void pd_segment_needs(pd_script *s, pd_setting *set, const pd_event *e, bool in)
{
    const pd_segment *g = &e->segment;
    const bool syn = strchr(g->flags, 'S') != NULL;
    if (strchr(g->flags, 'R'))
        pd_lack(s, "RST");
    if (strpbrk(g->flags, "0123456789A") && !set->accurate)
        pd_lack(s, "AccECN where a sysctl does not ask for it");
    if (syn && g->length)
        pd_lack(s, "data in a SYN");
    if (in && syn && !g->acks && set->active)
        pd_lack(s, "simultaneous opens");
    set->ends |= strchr(g->flags, 'F') != NULL;
    set->receives |= in && g->length;
    set->sends |= !in && g->length;
    if (!in)
        return;
    if (syn) {
        set->mss = g->mss > 0 ? (uint32_t)g->mss : 536;
        set->mss = (set->mss < 1460 ? set->mss : 1460) - (g->stamped ? 12 : 0);
        set->wscale = g->wscale > 0 ? (uint32_t)g->wscale : 0;
        set->sack &= g->sack_ok;
        set->ecn &= set->accurate || strchr(g->flags, 'E');
    }
}

/* Segments are counted, so that bytes of ACKs, blocks and writes must lie where segments begin, or end the data. */
static inline void pd_grain(pd_script *s, const pd_setting *set)
{
    uint32_t written = 0, sent = 0;
    for (size_t i = 0; i < s->n; i++) {
        const pd_event *e = &s->event[i];
        const pd_segment *g = &e->segment;
        if (e->what == PD_CALL && e->result > 0 && strstr(" write send sendto writev sendmsg ", e->name)) {
            if (written % set->mss)
                pd_lack(s, "short segments before the last (line %d)", e->line);
            written += (uint32_t)e->result;
        }
        if (e->what == PD_OUT && g->seq + g->length > sent)
            sent = g->seq + g->length;
        if (e->what != PD_IN || !g->acks || strchr(g->flags, 'S'))
            continue;
        if (g->ack && (g->ack - 1u) % set->mss && g->ack < written + 1u)
            pd_lack(s, "ACKs of parts of segments");
        for (uint32_t k = 0; k < g->n_blocks; k++)
            for (int side = 0; side < 2; side++)
                if ((g->block[k][side] - 1u) % set->mss && g->block[k][side] != written + 1u)
                    pd_lack(s, "byte-granular SACK");
        if (g->n_blocks > NET_ACK_BLOCKS)
            pd_lack(s, "four SACK blocks");
    }
}

/* The same of segments that come in, whose size the first has; several come as one where that is some of the peer's MSS. */
static inline void pd_grain_in(pd_script *s, pd_setting *set)
{
    uint32_t end = 1, size = 0;
    const uint32_t unit = s->mss ? s->mss : set->mss;
    for (size_t i = 0; i < s->n; i++) {
        const pd_segment *g = &s->event[i].segment;
        if (s->event[i].what != PD_IN || g->length == 0)
            continue;
        if (g->seq == 0 || (g->seq - end > 65535u && end - g->seq > 65535u))
            pd_lack(s, "data outside the receiver's window");
        size = size ? size : g->length > unit && g->length % unit == 0 ? unit : g->length;
        end = g->seq + g->length > end ? g->seq + g->length : end;
    }
    for (size_t i = 0; i < s->n && size; i++) {
        const pd_segment *g = &s->event[i].segment;
        if (s->event[i].what == PD_IN && g->length &&
            ((g->seq - 1u) % size ||
             (g->length != size && (g->length % size || size != unit) && g->seq + g->length != end)))
            pd_lack(s, "segments of several sizes (byte-granular reception)");
    }
    set->mss = size ? size : set->mss;
}

/* Read off what the whole script needs: what its segments and calls need is named before what its sysctls ask. */
static inline pd_setting pd_needs(pd_script *s)
{
    pd_script sysctls = {.n = 0};
    pd_setting set = {.congestion = NET_CC_CUBIC, .mss = 1460, .sack = true, .rack = true, .probes = true};
    for (size_t i = 0; i < s->n; i++) {
        const pd_event *e = &s->event[i];
        if (e->what == PD_SHELL)
            pd_shell(&sysctls, &set, e->text);
        else if (e->what == PD_CALL)
            pd_call_needs(s, &set, e);
        else if (e->what == PD_CODE && strstr(e->text, "tcpi_state"))
            pd_lack(s, "states of TCP beyond those of a flow (tcpi_state)");
        else if (e->what != PD_CODE && !*s->lacks)
            pd_segment_needs(s, &set, e, e->what == PD_IN);
        if ((e->what == PD_IN || e->what == PD_OUT) && !*s->lacks)
            pd_accurate_needs(s, &set, e, e->what == PD_IN);
    }
    if (!set.sends && !set.receives && (set.ends || !set.active))
        pd_lack(s, set.ends ? "states after a FIN" : "a connection without data");
    if (!set.receives || set.sends)
        pd_grain(s, &set);
    else
        pd_grain_in(s, &set);
    if (*sysctls.lacks)
        pd_lack(s, "%s", sysctls.lacks);
    set.ecn &= set.asks || !set.active;
    if (set.sends) /* of data both ways the sender is played, with what the peer's data acknowledges */
        set.receives = false;
    return set;
}

#endif
