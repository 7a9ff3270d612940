/*
 * Congestion controls as a scenario has them. Each has a wi_congestion_NAME in a file of this folder, where its keys
 * stand with their defaults; its law is net/congestion/NAME.h, whose list is the list here.
 */
#pragma once

#include "net/congestion/congestion.h"
#include "schema/schema.h"
#include "weir/scenario.h"

typedef struct wi_congestion_kind {
    wi_section section; /* of its keys, which fill its net_NAME_params, later net_class.cc */
    /* What must hold besides the ranges of the keys, and what follows from the choice; null: nothing. */
    void (*check)(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp);
    const char *begins; /* with what flows begin in place of an initial window; null: with that */
} wi_congestion_kind;

/* A check: the control listens to marks, so that `ecn` is true; and it is an error to say that it is not. */
void wi_congestion_needs_ecn(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp);

/* Likewise for a control that cannot do without SACK. */
void wi_congestion_needs_sack(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp);

/* A key that the control has no use for: an error at its place, if it is there and `asked` holds. */
void wi_congestion_refuses(wi_reader *r, const wi_node *node, const weir_scenario_tcp *tcp, const char *key,
                           bool asked, const char *want);

extern const wi_words wi_congestion_words;       /* of the key `congestion` */
extern const wi_variants wi_congestion_variants; /* of a section whose struct is a weir_scenario_tcp */
/* number: a value of wi_congestion_words, enum net_congestion. */
const wi_congestion_kind *wi_congestion_kind_of(int number);

#define X(number, name, doc) extern const wi_congestion_kind wi_congestion_##name;
NET_CONGESTIONS(X)
#undef X
