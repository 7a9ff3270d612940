/*
 * Paje, the trace format of SimGrid's tools, ViTE and pajeng ("Paje trace file format", L. Schnorr, 2014): a container a rank or
 * class, and a state a bar. States of a container form a stack, so bars that overlap lie in containers of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/export.h"

typedef struct bar {
    char *owner, *text;
    long long row;
    double from_s, to_s;
    size_t lane;  /* container, counted over all */
    size_t value; /* number of the text */
} bar;

typedef struct event {
    double at_s;
    size_t lane, order; /* order: within the lane, so that a state ends before the next begins */
    const bar *bar;     /* null: the state ends */
} event;

typedef struct paje {
    bar *bar; /* [n] */
    size_t n;
} paje;

static weir_status take(void *ctx, const wi_export_bar *b)
{
    paje *p = ctx;
    if (!wi_grow_one(&p->bar, p->n, sizeof *p->bar))
        return WEIR_E_NOMEM;
    p->bar[p->n] = (bar){.owner = strdup(b->owner),
                         .text = strdup(b->text),
                         .row = b->row,
                         .from_s = b->from_s,
                         .to_s = b->to_s};
    const bar *const last = &p->bar[p->n++];
    return last->owner && last->text ? WEIR_OK : WEIR_E_NOMEM;
}

WI_ORDER_BY(by_text, bar, strcmp(x->text, y->text))
WI_ORDER_BY(by_place, bar,
            strcmp(x->owner, y->owner) ?: WI_ORDER(x->row, y->row) ?: WI_ORDER(x->from_s, y->from_s))
WI_ORDER_BY(by_time, event,
            WI_ORDER(x->at_s, y->at_s) ?: WI_ORDER(x->lane, y->lane) ?: WI_ORDER(x->order, y->order))

static void put_head(wi_out *file)
{
    static const char *const events[] = {
        "DefineContainerType\n% Alias string\n% Type string\n% Name string",
        "DefineStateType\n% Alias string\n% Type string\n% Name string",
        "DefineEntityValue\n% Alias string\n% Type string\n% Name string",
        "CreateContainer\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string",
        "PushState\n% Time date\n% Type string\n% Container string\n% Value string",
        "PopState\n% Time date\n% Type string\n% Container string"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const size_t n = strcspn(events[i], "\n");
        wi_export_put(file, "%%EventDef Paje%.*s %zu%s\n%%EndEventDef\n", (int)n, events[i], i,
                      events[i] + n);
    }
    wi_out_text(file, "0 R 0 row\n1 S R state\n");
}

/* A name in quotes, which the format cannot escape; without commas, at which pj_dump's readers split. */
static void put_quoted(wi_out *file, const char *before, const char *name)
{
    char text[800];
    snprintf(text, sizeof text, "%s", name);
    for (char *c = text; *c; c++)
        *c = *c == '"' ? '\'' : *c == ',' ? ';' : (unsigned char)*c < ' ' ? ' ' : *c;
    wi_export_put(file, "%s \"%s\"\n", before, text);
}

static void put_values(paje *p, wi_out *file)
{
    char before[60];
    qsort(p->bar, p->n, sizeof *p->bar, by_text);
    for (size_t i = 0, value = 0; i < p->n; i++) {
        if (i == 0 || strcmp(p->bar[i - 1].text, p->bar[i].text) != 0) {
            snprintf(before, sizeof before, "2 v%zu S", ++value);
            put_quoted(file, before, p->bar[i].text);
        }
        p->bar[i].value = value;
    }
}

/* The first of the place's lanes [first, first + n) that is free at from_s. end_s: of all lanes. */
static size_t lane_of(const double *end_s, size_t first, size_t n, double from_s)
{
    size_t i = 0;
    while (i < n && end_s[first + i] > from_s)
        i++;
    return i;
}

static weir_status put_lanes(paje *p, wi_out *file)
{
    double *end_s = NULL;
    char before[60], name[500];
    size_t lanes = 0, first = 0; /* first: of this place */
    weir_status status = WEIR_OK;
    qsort(p->bar, p->n, sizeof *p->bar, by_place);
    for (size_t i = 0; i < p->n; i++) {
        bar *const b = &p->bar[i];
        if (i > 0 && (strcmp(b[-1].owner, b->owner) != 0 || b[-1].row != b->row))
            first = lanes;
        const size_t lane = lane_of(end_s, first, lanes - first, b->from_s);
        if (first + lane == lanes) {
            if (!wi_grow_one(&end_s, lanes, sizeof *end_s)) {
                status = WEIR_E_NOMEM;
                break;
            }
            snprintf(before, sizeof before, "3 0 c%zu R 0", lanes++);
            snprintf(name, sizeof name, lane ? "%s %lld #%zu" : "%s %lld", b->owner, b->row, lane + 1);
            put_quoted(file, before, name);
        }
        b->lane = first + lane;
        end_s[b->lane] = b->to_s;
    }
    free(end_s);
    return status;
}

static weir_status put_states(const paje *p, wi_out *file)
{
    event *events = malloc(2 * p->n * sizeof *events);
    if (!events)
        return WEIR_E_NOMEM;
    for (size_t i = 0; i < p->n; i++) {
        const bar *const b = &p->bar[i];
        events[2 * i] = (event){b->from_s, b->lane, 2 * i, b};
        events[2 * i + 1] = (event){b->to_s, b->lane, 2 * i + 1, NULL};
    }
    qsort(events, 2 * p->n, sizeof *events, by_time);
    for (const event *e = events; e < events + 2 * p->n; e++) {
        if (e->bar)
            wi_export_put(file, "4 %.12f S c%zu v%zu\n", e->at_s, e->lane, e->bar->value);
        else
            wi_export_put(file, "5 %.12f S c%zu\n", e->at_s, e->lane);
    }
    free(events);
    return WEIR_OK;
}

weir_status wi_export_paje(weir_diag *diag, const char *run, wi_out *file)
{
    paje p = {0};
    weir_status status = wi_export_bars(diag, run, take, &p);
    if (status == WEIR_OK) {
        put_head(file);
        put_values(&p, file);
        status = put_lanes(&p, file) ?: put_states(&p, file);
        if (status != WEIR_OK)
            status = weir_fail(diag, status, "no memory for the bars of %s", run);
    }
    for (size_t i = 0; i < p.n; i++) {
        free(p.bar[i].owner);
        free(p.bar[i].text);
    }
    free(p.bar);
    return status;
}
