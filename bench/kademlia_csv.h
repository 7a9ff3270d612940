/*
 * The table that Kademlia's benchmarks write, on the host and on a device, and tools/plot_kademlia_bench.py
 * reads: figure 5 and tables 1 and 2 of Andelfinger and Hartenstein 2014. Also valid as C++.
 */
#ifndef BENCH_KADEMLIA_CSV_H
#define BENCH_KADEMLIA_CSV_H

#include "bench.h"

enum { KADEMLIA_STEPS = 5 };

/* One measurement. */
typedef struct kademlia_cell {
    uint32_t peers;
    weir_time think_ps;  /* the paper's d_max */
    const char *variant; /* "sequential", "persistent" or "host-driven" */
    uint32_t lp_size;    /* peers of an LP, 0 on the host; of an adaptive run, what it chose */
    int adaptive;
    double events_per_s, times_real_time, bytes_per_peer;
    double step[KADEMLIA_STEPS]; /* percent of time: select, handle, insert, grow, wait; all 0: not known */
} kademlia_cell;

/* Null where no path is given: the other functions then do nothing. */
static inline FILE *kademlia_csv_open(const char *path)
{
    FILE *f = path ? fopen(path, "w") : NULL;
    if (path && !f)
        bench_fail("%s cannot be written", path);
    if (f)
        fputs("peers,d_max_s,variant,lp_size,adaptive,events_per_s,times_real_time,bytes_per_peer,select_"
              "percent,"
              "handle_percent,insert_percent,grow_percent,wait_percent\n",
              f);
    return f;
}

static inline void kademlia_csv_row(FILE *f, const kademlia_cell *c)
{
    if (!f)
        return;
    fprintf(f, "%u,%g,%s,%u,%d,%.6g,%.6g,%.6g", c->peers, weir_seconds(c->think_ps), c->variant, c->lp_size,
            c->adaptive, c->events_per_s, c->times_real_time, c->bytes_per_peer);
    for (int i = 0; i < KADEMLIA_STEPS; i++)
        fprintf(f, ",%.4g", c->step[i]);
    fputc('\n', f);
    fflush(f);
}

static inline void kademlia_csv_close(FILE *f)
{
    if (f && fclose(f) != 0)
        bench_fail("the table could not be written whole");
}

#endif
