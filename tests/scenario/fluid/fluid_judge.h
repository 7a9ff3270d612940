/*
 * Fluid against packets on the paper's twelve nodes (examples/papers/000): one cell is a RED mode, an ACK
 * policy, and whether flow 3 is there; it runs as packets, or as fluid, and gives the same measures of
 * either. Flows start together; windows and averages settle while nothing is counted, or that is what is counted.
 */
#ifndef TESTS_SCENARIO_FLUID_JUDGE_H
#define TESTS_SCENARIO_FLUID_JUDGE_H

#include <jansson.h>
#include <stdarg.h>

#include "../csv_cell.h"
#include "weir/run.h"

enum { JUDGE_CLASSES = 4, JUDGE_PORTS = 3, JUDGE_SETS = 32, JUDGE_WARM_S = 15, JUDGE_END_S = 60 };

typedef struct judge_cell {
    const char *mode;     /* of RED */
    int segments_per_ack; /* of the receivers */
    int classes;          /* 3: without flow 3 */
    bool start; /* what is counted is the first 15 s, in which all begin, instead of 45 s after them */
} judge_cell;

static const char *const judge_port[JUDGE_PORTS] = {"2->3", "7->8", "4->7"}; /* the last carries flow 3 */
static const int judge_sessions[JUDGE_CLASSES] = {10, 10, 20, 40};

typedef enum judge_model {
    JUDGE_PACKETS,
    JUDGE_CALIBRATED,
    JUDGE_PAPER_TCP, /* the paper's constants of TCP */
    JUDGE_PAPER,     /* and its law of queues */
    JUDGE_MODELS
} judge_model;

typedef struct judged {
    double goodput_bps[JUDGE_CLASSES], loss[JUDGE_CLASSES];
    double window[JUDGE_CLASSES]; /* segments in flight: goodput of a session times round trip */
    double queue_bytes[JUDGE_PORTS];
} judged;

/* Overrides of the example's keys. */
typedef struct judge_overrides {
    char text[JUDGE_SETS][64];
    const char *set[JUDGE_SETS];
    size_t n;
} judge_overrides;

__attribute__((format(printf, 2, 3))) static inline void judge_set(judge_overrides *o, const char *format,
                                                                   ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(o->text[o->n], sizeof o->text[0], format, args);
    va_end(args);
    o->set[o->n] = o->text[o->n];
    o->n++;
}

static inline void judge_choose(judge_overrides *o, const judge_cell *cell, judge_model model, int seed)
{
    o->n = 0;
    judge_set(o, "seed=%d", seed);
    judge_set(o, "duration=%ds", cell->start ? JUDGE_WARM_S : JUDGE_END_S);
    judge_set(o, "output.warmup=%ds", cell->start ? 0 : JUDGE_WARM_S);
    judge_set(o, "output.interval=10ms"); /* the fluid's means are over samples */
    judge_set(o, "topology.queue.mode=%s", cell->mode);
    judge_set(o, "fluid.tcp=%s", model >= JUDGE_PAPER_TCP ? "paper" : "calibrated");
    judge_set(o, "fluid.law=%s", model == JUDGE_PAPER ? "paper" : "conserving");
    for (int i = 0; i < JUDGE_CLASSES; i++) {
        judge_set(o, "traffic.flow%d.tcp.delayed_ack=%d", i, cell->segments_per_ack);
        if (model == JUDGE_PACKETS) /* as the fluid's model has it, and the paper's runs */
            judge_set(o, "traffic.flow%d.tcp.recovery=sack", i);
        judge_set(o, "traffic.flow%d.fidelity=%s", i, model == JUDGE_PACKETS ? "packet" : "fluid");
    }
    /* After the end: never. */
    judge_set(o, "traffic.flow3.start=%ds", cell->classes > 3 ? 0 : JUDGE_END_S + 1);
    judge_set(o, "traffic.flow3.stop=%ds", JUDGE_END_S + 2);
}

static inline void judge_classes(const char *summary, judged *out)
{
    json_t *s = json_loads(summary, 0, NULL), *c = NULL;
    size_t i = 0;
    json_array_foreach(json_object_get(s, "classes"), i, c)
    {
        if (i >= JUDGE_CLASSES)
            break;
        out->goodput_bps[i] = json_number_value(json_object_get(c, "goodput_bps"));
        out->loss[i] = json_number_value(json_object_get(c, "loss"));
        out->window[i] = out->goodput_bps[i] / judge_sessions[i] / (8.0 * 960.0) *
                         json_number_value(json_object_get(c, "rtt_mean_s"));
    }
    json_decref(s);
}

/* Run a cell; `folder` is replaced by its results. example: the twelve nodes' scenario file. */
static inline weir_status judge_run(weir_diag *diag, const char *example, const char *folder,
                                    const judge_cell *cell, judge_model model, int seed, judged *out)
{
    judge_overrides o;
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    judge_choose(&o, cell, model, seed);
    weir_run_options_init(&options);
    options.output_dir = folder;
    options.force = true;
    memset(out, 0, sizeof *out);
    weir_status status = weir_scenario_load(diag, example, o.set, o.n, &scenario);
    if (status == WEIR_OK)
        status = weir_run(diag, scenario, &options, &result);
    if (status == WEIR_OK) {
        judge_classes(result.summary_json, out);
        for (int i = 0; i < JUDGE_PORTS; i++)
            out->queue_bytes[i] = csv_cell(folder, "ports.csv", "port", judge_port[i], "queue_mean_bytes");
    }
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    return status;
}

#endif
