/*
 * packetdrill's scripts against weir's TCP: google/packetdrill's and FreeBSD's. Each passes, fails, or is skipped by the
 * name of what it needs and weir has not; how many of each is asserted.
 */
#include "net/packetdrill/play.h"

#include <dirent.h>
#include <sys/stat.h>

#include "skip.h"

typedef struct tally {
    int passed, failed, skipped, unread; /* unread: no packetdrill */
} tally;

#define OPENING                                                        \
    "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"                    \
    "+0 bind(3, ..., ...) = 0\n"                                       \
    "+0 listen(3, 1) = 0\n"                                            \
    "+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>\n" \
    "+0 > S. 0:0(0) ack 1 <...>\n"                                     \
    "+.1 < . 1:1(0) ack 1 win 257\n"                                   \
    "+0 accept(3, ..., ...) = 4\n"

/* RFC 5681, section 4.2: an ACK for two segments, at once for what is out of order or fills a gap, after 40 ms else. RFC 2018: the latest
 * block first. */
static const char receiver[] = OPENING "+0 < . 1:1001(1000) ack 1 win 257\n"
                                       "+0 < . 1001:2001(1000) ack 1 win 257\n"
                                       "+0 > . 1:1(0) ack 2001\n"
                                       "+.01 < . 3001:4001(1000) ack 1 win 257\n"
                                       "+0 > . 1:1(0) ack 2001 <nop,nop,sack 3001:4001>\n"
                                       "+0 < . 6001:7001(1000) ack 1 win 257\n"
                                       "+0 > . 1:1(0) ack 2001 <nop,nop,sack 6001:7001 3001:4001>\n"
                                       "+0 < . 4001:5001(1000) ack 1 win 257 // goes on with the older\n"
                                       "+0 > . 1:1(0) ack 2001 <nop,nop,sack 3001:5001 6001:7001>\n"
                                       "+0 < . 2001:3001(1000) ack 1 win 257\n"
                                       "+0 > . 1:1(0) ack 5001 <nop,nop,sack 6001:7001>\n"
                                       "+0 < . 5001:6001(1000) ack 1 win 257\n"
                                       "+0 > . 1:1(0) ack 7001\n"
                                       "+.1 < . 7001:8001(1000) ack 1 win 257\n"
                                       "+.039~+.041 > . 1:1(0) ack 8001\n";

/* RFC 3168, section 6.1.2: a sender with ECN halves once a window, and says so in the next new segment. */
static const char marks[] =
    "`sysctl -q net.ipv4.tcp_ecn=1 net.ipv4.tcp_congestion_control=reno`\n"
    "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
    "+0 bind(3, ..., ...) = 0\n"
    "+0 listen(3, 1) = 0\n"
    "+0 < SEW 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>\n"
    "* > SE. 0:0(0) ack 1 <...>\n"
    "+.1 < . 1:1(0) ack 1 win 257\n"
    "+0 accept(3, ..., ...) = 4\n"
    "+0 write(4, ..., 20000) = 20000\n"
    "+0 > [ect0] P. 1:10001(10000) ack 1\n"
    "+.1 < E. 1:1(0) ack 1001 win 257\n"
    "+0 %{ assert tcpi_ca_state == TCP_CA_CWR; assert 5 <= tcpi_snd_cwnd <= 5 # half of ten\n }%\n"
    "+0 < E. 1:1(0) ack 6001 win 257\n"
    "+0 > [ect0] W. 10001:11001(1000) ack 1\n"
    "+0 %{ assert tcpi_snd_cwnd == 5, 'once' }%\n";

/* RFC 9768: the counter of a receiver begins at 5 and has three bits; the first mark after none is told at once, others with the ACKs
 * that are due. Of a sender: how many packets each ACK says came marked, the last by appendix A.2's rule for more than seven. */
#define ACCURATE "`sysctl -q net.ipv4.tcp_ecn=3 net.ipv4.tcp_ecn_option=0`\n"
#define ACCURATE_OPENING                                                   \
    ACCURATE "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"               \
             "+0 bind(3, ..., ...) = 0\n"                                  \
             "+0 listen(3, 1) = 0\n"                                       \
             "+0 < SEWA 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>\n" \
             "+0 > SW. 0:0(0) ack 1 <...>\n"                               \
             "+.1 < W. 1:1(0) ack 1 win 257\n"                             \
             "+0 accept(3, ..., ...) = 4\n"
static const char counts[] = ACCURATE_OPENING "+0 < [ect0] EA. 1:1001(1000) ack 1 win 257\n"
                                              "+0 < [ect0] EA. 1001:2001(1000) ack 1 win 257\n"
                                              "+0 > EA. 1:1(0) ack 2001\n"
                                              "+.1 < [ce] EA. 2001:3001(1000) ack 1 win 257\n"
                                              "+0 > WA. 1:1(0) ack 3001\n"
                                              "+.1 < [ce] EA. 3001:4001(1000) ack 1 win 257\n"
                                              "+0 < [ce] EA. 4001:5001(1000) ack 1 win 257\n"
                                              "+0 > . 1:1(0) ack 5001\n"
                                              "+.1 < [ect0] EA. 5001:6001(1000) ack 1 win 257\n"
                                              "+.04 > . 1:1(0) ack 6001\n"
                                              "+.1 < [ce] EA. 6001:7001(1000) ack 1 win 257\n"
                                              "+0 > .1 1:1(0) ack 7001\n";
static const char counted[] =
    ACCURATE_OPENING "+0 write(4, ..., 10000) = 10000\n"
                     "+0 > [ect0] P.5 1:10001(10000) ack 1\n"
                     "+.1 < .5 1:1(0) ack 1001 win 257\n"
                     "+0 %{ assert tcpi_delivered_ce == 0 }%\n"
                     "+0 < .6 1:1(0) ack 2001 win 257\n"
                     "+0 %{ assert tcpi_delivered_ce == 1; assert tcpi_snd_cwnd == 6 }%\n"
                     "+0 < .5 1:1(0) ack 2001 win 257 // overtaken\n"
                     "+0 %{ assert tcpi_delivered_ce == 1; assert tcpi_snd_cwnd == 6 }%\n"
                     "+0 < .6 1:1(0) ack 10001 win 257\n"
                     "+0 %{ assert tcpi_delivered_ce == 9 }%\n";

/* Data of the peer's is no duplicate ACK (RFC 5681, section 2); a window of zero holds all back until another comes. Of #ifdef weir is
 * STANDARD. */
static const char both_ways[] =
    OPENING "+0 write(4, ..., 2000) = 2000\n"
            "+0 > P. 1:2001(2000) ack 1\n"
            "+.01 < . 1:101(100) ack 1 win 257\n"
            "+0 < . 101:201(100) ack 1 win 257\n"
            "+0 < . 201:301(100) ack 1 win 257\n"
            "+0 > . 2001:2001(0) ack 301\n"
            "+0 %{ assert tcpi_ca_state == TCP_CA_Open and \\\n tcpi_unacked == 2 }%\n"
            "+.01 < . 301:401(100) ack 2001 win 0\n"
            "+0 %{ assert tcpi_unacked == 0 }%\n"
            "+0 write(4, ..., 1000) = 1000\n"
            "+.3 < . 401:401(0) ack 2001 win 257\n"
            "#ifdef Linux\n"
            "+.1 > P. 2001:3001(1000) ack 1\n"
            "#else\n"
            "+0 > P. 2001:3001(1000) ack 1\n"
            "#endif\n";

/* Four segments that come as one get one ACK. */
static const char merged[] = OPENING "+0 < . 1:4001(4000) ack 1 win 257\n"
                                     "+0 > . 1:1(0) ack 4001\n";

/* Nine segments, where ten go. */
static const char wrong[] = OPENING "+0 write(4, ..., 10000) = 10000\n"
                                    "+0 > . 1:9001(9000) ack 1\n"
                                    "+.1 %{ assert tcpi_unacked == 9 }%\n";

static char *slurp(FILE *f)
{
    size_t n = 0, room = 1 << 14;
    char *text = malloc(room);
    for (size_t got; (got = fread(text + n, 1, room - n - 1, f)) > 0;)
        if ((n += got) + 1 == room)
            text = realloc(text, room *= 2);
    text[n] = 0;
    return text;
}

static void play(const char *name, const char *text, tally *t)
{
    static pd_play p;
    pd_script script = pd_read(text);
    pd_setting set = {0};
    if (!*script.error)
        set = pd_needs(&script);
    if (*script.error) {
        printf("unread  %s: %s\n", name, script.error);
        t->unread++;
    } else if (*script.lacks) {
        printf("skipped %s: %s\n", name, script.lacks);
        t->skipped++;
    } else {
        pd_run_script(&p, &script, &set);
        printf("%s %s: ", *p.failure ? "FAILED " : "passed ", name);
        if (*p.failure)
            printf("%s\n", p.failure);
        else
            printf("%u compared, %u set aside%s%s%s\n", p.n_compared, p.n_aside, p.n_aside ? " (" : "",
                   p.aside, p.n_aside ? ")" : "");
        *(*p.failure ? &t->failed : &t->passed) += 1;
    }
    pd_free(&script);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All scripts below a folder, in the order of their names. */
static void play_folder(const char *root, const char *below, tally *t)
{
    char path[4096], *names[1024];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", root, below);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *d; (d = readdir(folder)) && n < 1024;)
        if (d->d_name[0] != '.')
            names[n++] = strdup(d->d_name);
    closedir(folder);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        char inner[2048];
        struct stat s;
        const size_t length = strlen(names[i]);
        snprintf(inner, sizeof inner, "%s%s%s", below, *below ? "/" : "", names[i]);
        snprintf(path, sizeof path, "%s/%s", root, inner);
        if (stat(path, &s) != 0) { /* a link to what the copy has not */
            free(names[i]);
            continue;
        }
        if (S_ISDIR(s.st_mode)) {
            play_folder(root, inner, t);
        } else if (length > 4 && strcmp(names[i] + length - 4, ".pkt") == 0) {
            FILE *f = fopen(path, "r");
            assert_non_null(f);
            char *text = slurp(f);
            fclose(f);
            play(inner, text, t);
            free(text);
        }
        free(names[i]);
    }
}

/* Scripts of one's own; and one that must fail, or nothing here says anything. */
static void own(void **state)
{
    (void)state;
    tally t = {0};
    play("receiver", receiver, &t);
    assert_int_equal(t.passed, 1);
    play("marks", marks, &t);
    assert_int_equal(t.passed, 2);
    play("both ways", both_ways, &t);
    play("merged", merged, &t);
    assert_int_equal(t.passed, 4);
    play("counts", counts, &t);
    play("counted", counted, &t);
    assert_int_equal(t.passed, 6);
    play("wrong", wrong, &t);
    assert_int_equal(t.failed, 1);
    play("no packetdrill", "+0 < what", &t);
    assert_int_equal(t.unread, 1);
    play("lacking", "+0 < icmp unreachable [1:1(0)]\n", &t);
    assert_int_equal(t.skipped, 1);
}

static void google(void **state)
{
    (void)state;
    tally t = {0};
    play_folder(data_path("peers/packetdrill"), "", &t);
    printf("packetdrill: %d passed, %d failed, %d skipped, %d unread\n", t.passed, t.failed, t.skipped,
           t.unread);
    assert_int_equal(t.passed, 13);
    assert_int_equal(t.failed, 1); /* docs/transport.md */
    assert_int_equal(t.skipped, 2);
}

/* The suite is an archive: unpacked into a folder of its own beside the test's output. */
static void freebsd(void **state)
{
    (void)state;
    tally t = {0};
    char command[8192];
    const char *archive = data_path("peers/freebsd-tcp/tcp-testsuite.tar.gz");
    snprintf(command, sizeof command, "mkdir -p freebsd-tcp && tar xzf '%s' -C freebsd-tcp", archive);
    assert_int_equal(system(command), 0);
    play_folder("freebsd-tcp", "", &t);
    printf("freebsd-tcp: %d passed, %d failed, %d skipped, %d unread\n", t.passed, t.failed, t.skipped,
           t.unread);
    assert_int_equal(t.passed, 11);
    assert_int_equal(t.failed, 11); /* a SYN's second timeout: docs/transport.md */
    assert_int_equal(t.skipped, 1080);
    assert_int_equal(t.unread, 1); /* begins with "s//", which packetdrill does not read either */
}

int main(int argc, char **argv)
{
    tally t = {0};
    if (argc > 1) { /* a folder of scripts: nothing but the list */
        play_folder(argv[1], "", &t);
        printf("%s: %d passed, %d failed, %d skipped, %d unread\n", argv[1], t.passed, t.failed, t.skipped,
               t.unread);
        return t.failed > 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(own), cmocka_unit_test(google),
                                       cmocka_unit_test(freebsd)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
