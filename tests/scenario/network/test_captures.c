/*
 * Captures: read by an independent parser below, whose sums of packets must be those of flows.csv and whose checksums are
 * reckoned anew; the same bytes on every engine; the same digests as without; and what tshark says of them, where it is.
 * label: threads
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "skip.h"

static const char *const with_captures = "output={pcap: [l1, r1, \"left->right\", \"left--right\", l0]}";

#define DUMBBELL                                                                                       \
    "weir: 1\nduration: 3s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, " \
    "bottleneck_delay: 10ms}}\n"

static const char *const scenarios[] = {
    /* a transfer that overshoots, beside a call */
    DUMBBELL "traffic: [{name: call, udp: {rate: 100kbps, packet: 200B}, from: l0, to: r0},\n"
             "  {name: get, tcp: {size: 2MB, handshake: true}, from: l1, to: r1, start: 500ms}]\n",
    /* random loss, without SACK */
    DUMBBELL "traffic: [{name: call, udp: {rate: 100kbps, packet: 200B}, from: l0, to: r0},\n"
             "  {name: get, tcp: {size: 1MB, sack: false}, from: l1, to: r1}]\n",
    /* in a memory that ports share; what is lost is lost there */
    "weir: 1\nduration: 3s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, "
    "bottleneck_delay: 10ms}, shared_buffer: {size: 60kB}}\n"
    "traffic: [{name: call, udp: {rate: 100kbps, packet: 200B}, from: l0, to: r0},\n"
    "  {name: get, tcp: {size: 2MB, handshake: true}, from: l1, to: r1, start: 500ms}]\n",
    /* flows that come and go in slots that are used again, and replies to requests, with ECN over RED */
    DUMBBELL
    "traffic: [{name: mice, tcp: {size: 20kB, arrivals: {poisson: 20/s}, ecn: true}, from: l0, to: r0},\n"
    "  {name: web, tcp: {request: {size: 300B, think: 50ms}, size: 60kB, ecn: true}, from: r1, to: l1}]\n",
};

typedef struct tally {
    uint64_t packets, data, acks, udp, marked, sacks, bad_ip, bad_tcp, backward, syn, fin;
    uint32_t end, edge; /* the byte behind the highest of data, and of a SACK block */
    uint64_t bad_ace;   /* AccECN's counter is not that of the marks before it, or of a handshake */
} tally;

static uint32_t be16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t sum_of(const unsigned char *p, size_t n, uint64_t sum)
{
    for (size_t i = 0; i < n; i++)
        sum += i % 2 ? p[i] : (uint64_t)p[i] << 8;
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint32_t)sum;
}

static uint32_t be32(const unsigned char *p)
{
    return be16(p) << 16 | be16(p + 2);
}

/* The right edge of the highest SACK block; 0: there is none. */
static uint32_t sack_edge(const unsigned char *tcp)
{
    uint32_t most = 0;
    for (size_t i = 20, end = (tcp[12] >> 4) * 4u; i < end && tcp[i] != 0; i += tcp[i] == 1 ? 1 : tcp[i + 1])
        for (size_t k = i + 6; tcp[i] == 5 && k < i + tcp[i + 1]; k += 8)
            most = be32(tcp + k) > most ? be32(tcp + k) : most;
    return most;
}

static void count_packet(const unsigned char *ip, uint32_t captured, uint32_t length, tally *t)
{
    const uint32_t total = be16(ip + 2), payload = length - captured;
    assert_int_equal(ip[0], 0x45);
    assert_int_equal(total, length);
    t->packets++;
    t->bad_ip += sum_of(ip, 20, 0) != 0xffff;
    t->marked += (ip[1] & 3) == 3;
    const uint64_t pseudo = sum_of(ip + 12, 8, ip[9] + (uint64_t)total - 20);
    t->bad_tcp += sum_of(ip + 20, captured - 20, pseudo) != 0xffff; /* the payload is zero */
    if (ip[9] == 17) {
        t->udp++;
        assert_int_equal(be16(ip + 24), total - 20);
        return;
    }
    const unsigned char *tcp = ip + 20;
    assert_int_equal(20 + (tcp[12] >> 4) * 4, captured);
    const unsigned ace = (tcp[12] & 1u) << 2 | tcp[13] >> 6, syn = tcp[13] & 2u, back = tcp[13] & 16u;
    const unsigned want = syn ? (back ? 2u : 7u) : payload ? 5u : (unsigned)(5 + t->marked) % 8;
    t->bad_ace += ace != want;
    t->syn += (tcp[13] & 2) != 0;
    t->fin += (tcp[13] & 1) != 0;
    if (payload > 0 || ((tcp[13] & 2) && !(tcp[13] & 16)))
        t->data++;
    else
        t->acks++;
    const uint32_t edge = sack_edge(tcp), end = payload ? be32(tcp + 4) + payload : 0;
    t->sacks += edge > 0;
    t->edge = edge > t->edge ? edge : t->edge;
    t->end = end > t->end ? end : t->end;
}

static tally read_capture(const char *folder, const char *name)
{
    char path[600];
    tally t = {0};
    uint64_t last = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (uint32_t head[2]; fread(head, sizeof head, 1, f) == 1;) {
        unsigned char body[2048];
        uint32_t words[5], tail;
        assert_true(head[1] % 4 == 0 && head[1] >= 12 && head[1] - 12 < sizeof body);
        assert_int_equal(fread(body, 1, head[1] - 12, f), head[1] - 12);
        assert_int_equal(fread(&tail, sizeof tail, 1, f), 1);
        assert_int_equal(tail, head[1]);
        if (head[0] != 6)
            continue;
        memcpy(words, body, sizeof words);
        const uint64_t at = (uint64_t)words[1] << 32 | words[2];
        t.backward += at < last;
        last = at;
        count_packet(body + sizeof words, words[3], words[4], &t);
    }
    fclose(f);
    return t;
}

static void engines_write_the_same(void **state)
{
    (void)state;
    static const char *const files[] = {
        "l1.pcapng",          "r1.pcapng",    "l0.pcapng",    "left-to-right.pcapng",
        "left--right.pcapng", "captures.csv", "addresses.csv"};
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
        engines_write_alike(scenarios[s], NULL, with_captures, files, sizeof files / sizeof *files);
}

static double of_flow(const char *folder, const char *column, const char *cls)
{
    return csv_cell(folder, "flows.csv", "class", cls, column);
}

static void sums_are_those_of_flows(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    for (size_t s = 0; s < 3; s++) {
        weir_run_result r = run_into(diag, scenarios[s], "one", &with_captures, 1);
        const tally sender = read_capture(r.output_dir, "l1.pcapng"),
                    receiver = read_capture(r.output_dir, "r1.pcapng"),
                    line = read_capture(r.output_dir, "left-to-right.pcapng"),
                    call = read_capture(r.output_dir, "l0.pcapng");
        assert_true(sender.data == of_flow(r.output_dir, "packets_sent", "get"));
        assert_true(receiver.data == of_flow(r.output_dir, "packets_received", "get"));
        assert_true(call.udp == of_flow(r.output_dir, "packets_sent", "call"));
        assert_int_equal(line.data, receiver.data);
        assert_true(sender.data > receiver.data); /* it has lost something */
        assert_true(receiver.fin >= 1);
        assert_int_equal(receiver.syn, 2);
        assert_true(s != 1 ? receiver.sacks > 0 : receiver.sacks == 0);
        const tally *all[] = {&sender, &receiver, &line, &call};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(all[i]->bad_ip, 0);
            assert_int_equal(all[i]->bad_tcp, 0);
            assert_int_equal(all[i]->backward, 0);
        }
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* Ten segments, of which the last has 100 bytes; the second is lost, which is on its way from 20.201 to 20.321 ms. The ACK that the last
 * causes has a block up to 13,240 and not up to ten whole segments. */
static void blocks_end_with_the_data(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 3s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, "
        "bottleneck_delay: 10ms, access_delay: 1us}}\n"
        "traffic: [{name: get, tcp: {size: 13240B}, from: l1, to: r1}]\n"
        "events: [{at: 20202us, fail: {link: l1--left}}, {at: 20204us, repair: {link: l1--left}}]\n";
    static const char *const files[] = {"l1.pcapng", "r1.pcapng"};
    weir_diag *diag = weir_diag_new();
    weir_run_result r = run_into(diag, text, "one", &with_captures, 1);
    assert_true(of_flow(r.output_dir, "retransmissions", "get") == 1.0);
    for (size_t i = 0; i < 2; i++) {
        const tally t = read_capture(r.output_dir, files[i]);
        assert_int_equal(t.end, 13240);
        assert_int_equal(t.edge, 13240);
    }
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* At the receiver, whose ACKs count what it has got: over a line whose marks come one by one, and in bursts. */
static void marks_are_counted(void **state)
{
    (void)state;
    static const char *const queues[] = {"dualpi2", "threshold, mark: 20kB"};
    weir_diag *diag = weir_diag_new();
    for (int i = 0; i < 2; i++) {
        char text[1000];
        const char *const sets[] = {"output={pcap: [r0]}"};
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 5s\ntopology:\n  generate: {model: dumbbell, left: 1, bottleneck_rate: "
                 "20Mbps, bottleneck_delay: 8ms}\n  queue: {type: %s}\ntraffic:\n"
                 "- {name: get, tcp: {congestion: prague, size: 5MB}, from: l0, to: r0}\n",
                 queues[i]);
        weir_run_result r = run_into(diag, text, "accurate", sets, 1);
        const tally t = read_capture(r.output_dir, "r0.pcapng");
        assert_true(t.marked > 20 && t.acks > 1000);
        assert_int_equal(t.bad_ace, 0);
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* What tshark sees of a capture, by one reading: it takes longer to start than to read. */
typedef struct reading {
    long frames, wrong; /* wrong: malformed, a false checksum, or an ACK of what was not sent */
    long lost, again;   /* before it something is missing; sent again, or out of order */
    long roce, expert;  /* of RoCEv2; of what experts complain, or cut short */
} reading;

static reading tshark_sees(const char *folder, const char *name)
{
    static const char *const fields[] = {"_ws.malformed",
                                         "ip.checksum.status",
                                         "tcp.checksum.status",
                                         "tcp.analysis.ack_lost_segment",
                                         "tcp.analysis.lost_segment",
                                         "tcp.analysis.retransmission",
                                         "tcp.analysis.out_of_order",
                                         "infiniband.bth.opcode",
                                         "_ws.short",
                                         "_ws.expert"};
    enum { MALFORMED, IP, TCP, ACK, LOST, AGAIN, OUT_OF_ORDER, ROCE, SHORT, EXPERT, FIELDS };
    char command[2000], line[2000];
    int n = snprintf(command, sizeof command,
                     "tshark -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -r '%s/%s' -T fields -E "
                     "separator=';' -E occurrence=f",
                     folder, name);
    for (int i = 0; i < FIELDS; i++)
        n += snprintf(command + n, sizeof command - (size_t)n, " -e %s", fields[i]);
    snprintf(command + n, sizeof command - (size_t)n, " 2>/dev/null");
    FILE *p = popen(command, "r");
    assert_non_null(p);
    reading s = {0};
    for (; fgets(line, sizeof line, p); s.frames++) {
        char *at = line, *field[FIELDS];
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < FIELDS; i++) {
            assert_non_null(at);
            field[i] = strsep(&at, ";");
        }
        const bool malformed = *field[MALFORMED], sums = *field[IP] == '0' || *field[TCP] == '0';
        s.wrong += malformed || sums || *field[ACK];
        s.lost += *field[LOST] != '\0';
        s.again += *field[AGAIN] || *field[OUT_OF_ORDER];
        s.roce += *field[ROCE] != '\0';
        s.expert += *field[SHORT] || *field[EXPERT];
    }
    assert_int_equal(pclose(p), 0);
    return s;
}

static void tshark_agrees(void **state)
{
    (void)state;
    if (system("tshark --version > /dev/null 2>&1") != 0)
        skip_aloud("tshark is not here (Debian: tshark)");
    static const char *const files[] = {"l1.pcapng", "r1.pcapng", "left--right.pcapng", "l0.pcapng"};
    weir_diag *diag = weir_diag_new();
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
        weir_run_result r = run_into(diag, scenarios[s], "one", &with_captures, 1);
        for (size_t i = 0; i < 4; i++) {
            const tally t = read_capture(r.output_dir, files[i]);
            const reading all = tshark_sees(r.output_dir, files[i]);
            assert_int_equal(all.frames, t.packets);
            assert_int_equal(all.wrong, 0);
            /* the sender's own interface shows each one; those soon after duplicates it calls out of order */
            if (s < 2 && i == 0)
                assert_true(all.again == of_flow(r.output_dir, "retransmissions", "get"));
        }
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* A transfer of each control: every frame is whole, numbers are as sent, and what it calls sent again is what the run counts. */
static void each_control_is_read(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "newreno", "cubic", "bbr",   "bbr3", "dctcp",  "prague",   "swift, delay_target: 5ms",
        "ledbat",  "vegas", "dcqcn", "hpcc", "timely", "powertcp", "theta_powertcp"};
    if (system("tshark --version > /dev/null 2>&1") != 0)
        skip_aloud("tshark is not here (Debian: tshark)");
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        char text[1000];
        const char *const sets[] = {"output={pcap: [l0]}"};
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 5s\ntopology:\n  generate: {model: dumbbell, left: 1, bottleneck_rate: "
                 "20Mbps, bottleneck_delay: 18ms}\n  queue: {type: %s}\ntraffic:\n"
                 "- {name: get, tcp: {congestion: %s, size: 1MB}, from: l0, to: r0}\n",
                 i == 5  ? "dualpi2"
                 : i % 2 ? "threshold"
                         : "droptail, limit: 40kB",
                 controls[i]);
        weir_run_result r = run_into(diag, text, "control", sets, 1);
        const reading s = tshark_sees(r.output_dir, "l0.pcapng");
        if (s.again != (long)of_flow(r.output_dir, "retransmissions", "get") || s.frames < 1000 || s.wrong ||
            s.lost)
            fail_msg("%s: of %ld frames %ld sent again, %ld wrong, %ld behind what is missing", controls[i],
                     s.frames, s.again, s.wrong, s.lost);
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* ---- RDMA: RoCEv2 ---- */

enum { PSN_MAX = 4000 };

/* What tshark reads of a sender's interface with one flow. */
typedef struct roce {
    long data, again, first, last, acks, naks, notified, marked;
    long gap_ns; /* least between two notifications */
} roce;

static roce read_roce(const char *folder, const char *name)
{
    char command[2000], line[200];
    bool seen[PSN_MAX] = {false};
    roce r = {.gap_ns = LONG_MAX};
    long told_ns = -1, acked = -1, next = 0;
    snprintf(
        command, sizeof command,
        "tshark -n -r '%s/%s' -Y 'udp.dstport == 4791' -T fields -E separator=' ' -e infiniband.bth.opcode "
        "-e "
        "infiniband.bth.psn -e frame.time_relative -e ip.dsfield.ecn -e infiniband.aeth.syndrome 2>/dev/null",
        folder, name);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    while (fgets(line, sizeof line, p)) {
        long op, psn, ecn, syndrome = -1;
        double at_s;
        assert_true(sscanf(line, "%ld %ld %lf %ld %ld", &op, &psn, &at_s, &ecn, &syndrome) >= 4);
        if (op == 0x81) {
            const long at_ns = lround(1e9 * at_s);
            if (told_ns >= 0 && at_ns - told_ns < r.gap_ns)
                r.gap_ns = at_ns - told_ns;
            told_ns = at_ns;
            r.notified++;
        } else if (op == 17) {
            const bool nak = syndrome == 0x60;
            assert_true(nak || syndrome == 0x1f);
            assert_true(psn < PSN_MAX && (nak ? psn > acked : psn >= acked)); /* they come in order */
            acked = nak ? psn - 1 : psn;
            r.acks++;
            r.naks += nak;
        } else {
            assert_true(op <= 4 && op != 3 && psn < PSN_MAX &&
                        psn <= next); /* numbers as sent: new ones one by one */
            r.first += op == 0 || op == 4;
            r.last += op == 2 || op == 4;
            r.again += seen[psn];
            next += psn == next;
            seen[psn] = true;
            r.marked += ecn == 2;
            r.data++;
        }
    }
    pclose(p);
    return r;
}

/* Transfers over a line that loses, with go-back-N and IRN: whole frames of RoCEv2, packet numbers as sent, what goes again and NACKs
 * as the run counts them, notifications as far apart as DCQCN's. */
static void rdma_is_read(void **state)
{
    (void)state;
    static const char *const controls[] = {"dcqcn", "dctcp", "hpcc", "timely", "powertcp", "swift"};
    if (system("tshark --version > /dev/null 2>&1") != 0)
        skip_aloud("tshark is not here (Debian: tshark)");
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < 12; i++) {
        char text[1000];
        const char *const control = controls[i % 6], *const recovery = i < 6 ? "go-back-n" : "irn";
        const char *const sets[] = {"output={pcap: [l0, \"left->right\"]}"};
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 400ms\ntopology:\n  generate: {model: dumbbell, left: 2, "
                 "bottleneck_rate: 10Gbps, "
                 "bottleneck_delay: 5us, access_rate: 10Gbps, access_delay: 1us}\n  queue: {type: threshold, "
                 "mark: 4kB, "
                 "limit: 300kB}\n  links: [{link: left->right, loss: 1%%}]\ntraffic:\n"
                 "- {name: get, tcp: {congestion: %s, recovery: %s, size: 1001001B, mss: 1001B}, from: l0, "
                 "to: r0}\n"
                 "- {name: other, tcp: {congestion: %s, recovery: %s, size: 1MB}, from: l1, to: r0}\n",
                 control, recovery, control, recovery);
        weir_run_result r = run_into(diag, text, "roce", sets, 1);
        const roce x = read_roce(r.output_dir, "l0.pcapng");
        const double again = of_flow(r.output_dir, "retransmissions", "get");
        assert_true(x.data == of_flow(r.output_dir, "packets_sent", "get") && x.again == again && again > 0);
        assert_true(x.naks == of_flow(r.output_dir, "nacks", "get") && x.naks > 0);
        assert_true(x.data - x.again == 1001 && x.first >= 1 && x.last >= 1);
        if (i % 6 < 2)
            assert_int_equal(x.marked, x.data);
        if (i % 6 == 0)
            assert_true(x.notified > 0 && x.gap_ns >= 50000);
        else
            assert_int_equal(x.notified, 0);
        const reading sender = tshark_sees(r.output_dir, "l0.pcapng");
        assert_true(sender.frames >= x.data && sender.wrong == 0 && sender.expert == 0);
        if (i % 6 == 0) { /* frames of a line are those of its senders */
            const reading line = tshark_sees(r.output_dir, "left-to-right.pcapng");
            assert_true(line.frames > x.data && line.roce == line.frames);
        }
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* The checksum of each of RoCEv2's frames, reckoned anew bit by bit (InfiniBand, annex A17.3.3), and pauses beside them. */
static void rdma_beside_pauses(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 400us\ntopology:\n  generate: {model: star, hosts: 6, "
                               "access_rate: 10Gbps, access_delay: 1us}\n"
                               "  queue: {type: threshold, mark: 200kB}\n  shared_buffer: {size: 1MB, pfc: "
                               "{xoff: 20kB, xon_offset: 2kB}}\n"
                               "traffic:\n- {name: a, from: 'h[1-5]', to: h0, tcp: {congestion: dcqcn, "
                               "recovery: go-back-n, mss: 1001B}}\n";
    const char *const sets[] = {"output={pcap: [h1]}"}, *const files[] = {"h1.pcapng", "captures.csv"};
    char path[600];
    unsigned char body[4096];
    long frames = 0, pauses = 0;
    weir_diag *diag = weir_diag_new();
    weir_run_result r = run_into(diag, text, "roce", sets, 1);
    snprintf(path, sizeof path, "%s/h1.pcapng", r.output_dir);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (uint32_t head[2], words[5]; fread(head, sizeof head, 1, f) == 1;) {
        assert_true(head[1] >= 12 && head[1] - 8 < sizeof body &&
                    fread(body, 1, head[1] - 8, f) == head[1] - 8);
        memcpy(words, body, sizeof words);
        if (head[0] != 6)
            continue;
        if (words[0] == 1) {
            pauses++;
            continue;
        }
        unsigned char *const ip = body + sizeof words;
        const uint32_t length = words[3];
        assert_true(length == words[4] && length == be16(ip + 2) && length >= 48);
        if (ip[28] <=
            4) { /* data, behind 20 + 8 + 12 bytes of headers: whole words, of which the header tells the padding */
            const uint32_t payload = length - 44, pad = ip[29] >> 4 & 3u;
            assert_true(payload % 4 == 0 && payload - pad == 1001);
        }
        uint32_t crc = UINT32_MAX;
        const uint32_t told = ip[length - 4] | (uint32_t)ip[length - 3] << 8 |
                              (uint32_t)ip[length - 2] << 16 | (uint32_t)ip[length - 1] << 24;
        static const int varies[] = {1, 8, 10, 11, 26, 27, 32};
        for (size_t i = 0; i < sizeof varies / sizeof *varies; i++)
            ip[varies[i]] = 0xff;
        for (int i = -8; i < (int)length - 4; i++)
            for (int bit = 0; bit < 8; bit++) {
                const uint32_t in = (i < 0 ? 0xffu : ip[i]) >> bit & 1u;
                crc = crc >> 1 ^ ((crc ^ in) & 1u ? 0xedb88320u : 0u);
            }
        assert_int_equal(~crc, told);
        frames++;
    }
    fclose(f);
    assert_true(frames > 100 && pauses > 3);
    engines_write_alike(text, NULL, sets[0], files, 2);
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* Lines that tshark prints of a capture for a display filter. */
static long tshark_lines(const char *folder, const char *name, const char *filter)
{
    char command[2000], line[64] = "";
    snprintf(command, sizeof command,
             "tshark -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -r '%s/%s' -Y '%s' 2>/dev/null "
             "| wc -l",
             folder, name, filter);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    assert_non_null(fgets(line, sizeof line, p));
    pclose(p);
    return strtol(line, NULL, 10);
}

/* An incast over lossless switches: the frames that a host gets, and that a line between switches carries, are those that the run
 * counts, and tshark knows them. */
static void pause_frames_are_read(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 3ms\ntopology:\n  generate: {model: leaf-spine, leaves: "
                               "2, spines: 1, hosts: 4, rate: "
                               "10Gbps, access_rate: 10Gbps, delay: 1us}\n  shared_buffer: {size: 1MB, pfc: "
                               "{lossless: [3], xoff: 20kB, xon_offset: "
                               "2kB}}\ntraffic:\n- {name: a, from: 'h[1-7]', to: h0, dscp: 24, tcp: "
                               "{congestion: newreno, window: 1MB}}\n";
    if (system("tshark --version > /dev/null 2>&1") != 0)
        skip_aloud("tshark is not here (Debian: tshark)");
    const char *const sets[] = {"output={pcap: [h1, \"leaf1--spine0\"]}"};
    weir_diag *diag = weir_diag_new();
    weir_run_result r = run_into(diag, text, "pauses", sets, 1);
    const double host = csv_cell(r.output_dir, "ports.csv", "port", "h1->leaf0", "pauses"),
                 leaf = csv_cell(r.output_dir, "ports.csv", "port", "leaf1->spine0", "pauses");
    assert_true(host > 3 && leaf > 3);
    assert_true(tshark_lines(r.output_dir, "h1.pcapng", "macc.cbfc.pause_time.c3 == 65535") == host);
    assert_true(tshark_lines(r.output_dir, "leaf1--spine0.pcapng",
                             "macc.cbfc.pause_time.c3 == 65535 && eth.type == 0x8808") == leaf);
    const long ends =
        tshark_lines(r.output_dir, "h1.pcapng", "macc.cbfc.pause_time.c3 == 0 && macc.cbfc.enbv == 8");
    assert_true(ends == host || ends == host - 1);
    assert_int_equal(tshark_lines(r.output_dir, "h1.pcapng", "_ws.malformed || macc.dst_address_invalid"), 0);
    assert_true(tshark_lines(r.output_dir, "h1.pcapng", "tcp") > 100);
    const char *const files[] = {"h1.pcapng", "leaf1--spine0.pcapng", "captures.csv"};
    engines_write_alike(text, NULL, sets[0], files, 3);
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

static void expect_refusal(const char *pcap, const char *says)
{
    char text[2000];
    weir_run_options options;
    weir_run_result result = {0};
    weir_diag *diag = weir_diag_new();
    snprintf(text, sizeof text, "%soutput: {pcap: %s}\n", scenarios[0], pcap);
    weir_scenario *scenario = good(text, NULL, 0);
    weir_run_options_init(&options);
    options.output_dir = scratch_path("refused");
    assert_int_not_equal(weir_run(diag, scenario, &options, &result), WEIR_OK);
    const weir_message *m = weir_diag_get(diag, 0);
    assert_true(m->line > 0);
    if (!strstr(m->text, says))
        fail_msg("'%s' does not say '%s'", m->text, says);
    assert_false(exists(scratch_path("refused")));
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    expect_refusal("[l9]", "l9");
    expect_refusal("[\"l0->r0\"]", "no link between 'l0' and 'r0'");
    expect_refusal("[\"x*->y*\"]", "no link matches");
}

static int setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : 1;
}

int main(void)
{
    ONLY_THREADS("engines_*");
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines_write_the_same),
                                       cmocka_unit_test(sums_are_those_of_flows),
                                       cmocka_unit_test(blocks_end_with_the_data),
                                       cmocka_unit_test(marks_are_counted),
                                       cmocka_unit_test(tshark_agrees),
                                       cmocka_unit_test(each_control_is_read),
                                       cmocka_unit_test(what_is_not_there_is_refused),
                                       cmocka_unit_test(rdma_is_read),
                                       cmocka_unit_test(rdma_beside_pauses),
                                       cmocka_unit_test(pause_frames_are_read)};
    return test_result(cmocka_run_group_tests(tests, setup, NULL));
}
