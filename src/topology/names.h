/* A set of distinct names, numbered in the order of adding, that finds a number by its name in O(1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WI_NO_NAME UINT32_MAX

typedef struct wi_names {
    char *pool; /* all names, each ended by a NUL */
    size_t pool_size, pool_capacity;
    size_t *offset; /* [count]: where each begins */
    size_t capacity;
    uint32_t count;
    uint32_t *slot; /* [n_slots]: open addressing; number + 1, 0 where free */
    size_t n_slots; /* 0 or a power of two, at least twice count */
} wi_names;

/* Free a set of names; a zeroed wi_names is an empty one. */
void wi_names_free(wi_names *names);
/* Find the number of a name, or WI_NO_NAME. */
uint32_t wi_names_find(const wi_names *names, const char *text, size_t length);
/* Add a name that is not there yet and return its number; WI_NO_NAME when memory is short. Holds no NUL. */
uint32_t wi_names_add(wi_names *names, const char *text, size_t length);
/* Find the number of a name, and add it when it is new. */
uint32_t wi_names_intern(wi_names *names, const char *text, size_t length);
/* The name of a number, ended by a NUL. */
const char *wi_names_text(const wi_names *names, uint32_t number);
/* Make a copy that needs no more memory than it must; false when memory is short, `copy` is empty then. */
bool wi_names_copy(const wi_names *names, wi_names *copy);
