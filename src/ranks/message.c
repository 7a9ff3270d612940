/*
 * Messages between two ranks, over MPI. The receiver may have died unnoticed, so that the sender never waits. MPI's handle
 * is the process's own, so what is under way is too.
 */
#ifdef WEIR_HAVE_MPI
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"

enum { TAG_MESSAGE = 1 }; /* mpi.c has the others */

static void no_memory(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "weir: rank %d: no memory for a message\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Messages under way. */
typedef struct sent {
    MPI_Request request;
    struct sent *next;
    unsigned char data[];
} sent;
static sent *under_way;

static void free_sent(void)
{
    for (sent **at = &under_way; *at;) {
        sent *one = *at;
        int is_over = 0;
        MPI_Test(&one->request, &is_over, MPI_STATUS_IGNORE);
        if (!is_over) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        free(one);
    }
}

void wi_message_send(const void *data, size_t bytes, uint32_t to)
{
    sent *one = malloc(sizeof *one + bytes);
    if (!one)
        no_memory();
    memcpy(one->data, data, bytes);
    one->next = under_way;
    under_way = one;
    MPI_Isend(one->data, (int)bytes, MPI_BYTE, (int)to, TAG_MESSAGE, MPI_COMM_WORLD, &one->request);
    free_sent();
}

size_t wi_message_take(void *data, uint32_t *from)
{
    int there = 0, bytes = 0;
    MPI_Status status;
    free_sent();
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_MESSAGE, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes > WI_MESSAGE_MAX)
        no_memory();
    MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *from = (uint32_t)status.MPI_SOURCE;
    return (size_t)bytes;
}

void wi_messages_end(void)
{
    while (under_way)
        free_sent();
}
#endif
