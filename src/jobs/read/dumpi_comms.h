/*
 * Communicators of DUMPI's traces: which of all ranks' go together. Groups a rank makes alone; where it makes communicators of another
 * one, it waits for all members of that.
 */
#pragma once

#include "base/memory.h"
#include "jobs/read/dumpi.h"

/* A communicator of the job. Its number is its context: messages of two do not meet. */
typedef struct dumpi_comm {
    uint32_t group; /* the job's */
    uint32_t here;  /* members that have come to the call at which all meet */
    size_t grid;    /* where the sizes of its grid are */
    uint32_t dims;  /* 0: it has none */
} dumpi_comm;

/* Two are there from the start; SELF is each rank's, which is its only member. */
typedef struct dumpi_settling {
    wi_dumpi *d;
    dumpi_comm *comm;
    uint32_t n_comms;
    uint32_t *list; /* members of groups */
    size_t n_list, list_room;
    size_t *at;      /* [n_ranks] object at hand */
    uint32_t *ready; /* [n_ranks] ranks that can go on; each is there once at most */
    uint32_t n_ready;
    uint32_t *mark; /* [n_ranks] */
    uint32_t marks;
    wi_owned memory;
} dumpi_settling;

/* What is wrong with a rank's call; printf's. */
#define WRONG_CALL(s, rank, call, text, ...)                                                            \
    WI_WRONG(&(s)->d->reading, "%s: rank %u, call %u: " text, (s)->d->reading.job->programs.file[rank], \
             rank, call, __VA_ARGS__)

typedef struct dumpi_ranks {
    const uint32_t *at;
    uint32_t n, comm; /* comm: of the job, of a communicator and its group */
} dumpi_ranks;

/* Find the communicators of all ranks, whose objects then name them. */
weir_status wi_dumpi_find_comms(dumpi_settling *s);
/* Ranks of a communicator, or of a group, as one of them sees it: an object of `self`. */
dumpi_ranks wi_dumpi_members(const dumpi_settling *s, const uint32_t *self, uint32_t object);
uint32_t wi_dumpi_number(dumpi_ranks of, uint32_t rank); /* a member's; of.n: it is none */
