/*
 * A row of weights, in which the place is found at which their running sum first exceeds a number: how
 * BRITE's engines draw a node by preference. Weights may be below 0, as they come to be in the Java engine. A
 * place is found, and a weight changed, in log2(n) steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct wi_tally {
    uint32_t leaves; /* a power of two, at least n */
    double *sum;     /* [2 leaves]: of the weights below a node of a binary tree; weights are its leaves */
    double *peak;    /* [2 leaves]: the largest running sum within them */
} wi_tally;

/* Make n weights of 0. False when memory is short; free in any case. */
bool wi_tally_init(wi_tally *t, uint32_t n);
/* Free a tally. */
void wi_tally_free(wi_tally *t);
/* Set a weight. */
void wi_tally_set(wi_tally *t, uint32_t i, double weight);
static inline double wi_tally_get(const wi_tally *t, uint32_t i)
{
    return t->sum[t->leaves + i];
}
/* The sum of weights 0 to i. */
double wi_tally_until(const wi_tally *t, uint32_t i);
/* The first i whose running sum, from weight 0 to i, exceeds `target`; `none` where there is no such i. */
uint32_t wi_tally_find(const wi_tally *t, double target, uint32_t none);
