/* A writer of DUMPI's traces, apart from the reader's tables: what a call has is written down where it is made. */
#ifndef TEST_JOBS_DUMPI_WRITER_H
#define TEST_JOBS_DUMPI_WRITER_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Functions by their numbers. */
enum {
    CALL_SEND,
    CALL_RECV,
    CALL_BSEND = 3,
    CALL_SSEND,
    CALL_ISEND = 8,
    CALL_IRECV = 12,
    CALL_WAIT,
    CALL_TEST,
    CALL_REQUEST_FREE,
    CALL_WAITANY,
    CALL_WAITALL = 18,
    CALL_TESTALL,
    CALL_WAITSOME,
    CALL_CANCEL = 24,
    CALL_SEND_INIT = 26,
    CALL_RECV_INIT = 30,
    CALL_START,
    CALL_STARTALL,
    CALL_SENDRECV,
    CALL_SENDRECV_REPLACE,
    CALL_TYPE_CONTIGUOUS,
    CALL_TYPE_VECTOR,
    CALL_TYPE_INDEXED = 38,
    CALL_TYPE_STRUCT = 40,
    CALL_BARRIER = 52,
    CALL_BCAST,
    CALL_GATHER,
    CALL_GATHERV,
    CALL_SCATTER,
    CALL_SCATTERV,
    CALL_ALLGATHER,
    CALL_ALLGATHERV,
    CALL_ALLTOALL,
    CALL_ALLTOALLV,
    CALL_REDUCE,
    CALL_ALLREDUCE = 65,
    CALL_REDUCE_SCATTER,
    CALL_SCAN,
    CALL_COMM_GROUP = 72,
    CALL_GROUP_UNION,
    CALL_GROUP_INTERSECTION,
    CALL_GROUP_DIFFERENCE,
    CALL_GROUP_INCL,
    CALL_GROUP_EXCL,
    CALL_GROUP_RANGE_INCL,
    CALL_GROUP_RANGE_EXCL,
    CALL_COMM_SIZE = 81,
    CALL_COMM_RANK,
    CALL_COMM_DUP = 84,
    CALL_COMM_CREATE,
    CALL_COMM_SPLIT,
    CALL_INTERCOMM_CREATE = 91,
    CALL_CART_CREATE = 99,
    CALL_CART_SUB = 111,
    CALL_WTIME = 122,
    CALL_INIT = 124,
    CALL_FINALIZE,
    CALL_PUT = 143,
    CALL_SUBARRAY = 223,
    CALL_END = 293
};
enum { T_CHAR = 2, T_INT = 9, T_DOUBLE = 14, WORLD = 2, SELF = 3, NO_STATUS = 0 };

typedef struct dumpi_writer {
    uint8_t bytes[1 << 14];
    size_t n, header;
    uint64_t clock_ns;
    uint32_t thread, mask; /* mask: what calls have */
} dumpi_writer;

static inline void dw_put(dumpi_writer *w, uint64_t value, int bytes)
{
    while (bytes-- > 0)
        w->bytes[w->n++] = (uint8_t)(value >> 8 * bytes);
}

static inline void dw_magic(dumpi_writer *w)
{
    dw_put(w, 0xffaadd44554d5049, 8);
}

static inline void dw_time(dumpi_writer *w)
{
    dw_put(w, w->clock_ns / 1000000000, 2);
    dw_put(w, w->clock_ns % 1000000000, 4);
}

static inline void dw_begin(dumpi_writer *w)
{
    *w = (dumpi_writer){.mask = 8 + 64 + 3};
    dw_magic(w);
    dw_put(w, 7, 4);
    dw_put(w, 1296777956, 4);
}

/* A call after some computing, that takes a microsecond. Of its arguments `form` says how many bytes each has; a: a list of so many
 * numbers, b: of so many of two bytes, s: so many statuses of bytes, source, whether it was cancelled, and tag. All are ints. */
static inline void dw_call(dumpi_writer *w, int function, uint64_t compute_ns, const char *form, ...)
{
    va_list list;
    dw_put(w, (uint64_t)function, 2);
    dw_put(w, w->mask, 1);
    if (w->mask & 64)
        dw_put(w, w->thread, 2);
    w->clock_ns += compute_ns;
    if (w->mask & 8) {
        dw_time(w);
        w->clock_ns += 1000;
        dw_time(w);
    }
    va_start(list, form);
    for (; *form; form++) {
        const int value = va_arg(list, int);
        dw_put(w, (uint64_t)(int64_t)value, *form == 'a' || *form == 'b' || *form == 's' ? 4 : *form - '0');
        for (int i = 0; *form > '9' && i < value; i++) {
            dw_put(w, (uint64_t)(int64_t)va_arg(list, int), *form == 'b' ? 2 : 4);
            if (*form == 's') {
                dw_put(w, (uint64_t)(int64_t)va_arg(list, int), 4);
                dw_put(w, (uint64_t)va_arg(list, int), 1);
                dw_put(w, 0, 1);
                dw_put(w, (uint64_t)(int64_t)va_arg(list, int), 4);
            }
        }
    }
    va_end(list);
}

/* Ends the stream, and writes what stands behind it; one type of 24 bytes, number 40, is known. */
static inline void dw_end(dumpi_writer *w, uint32_t version)
{
    dw_put(w, CALL_END, 2);
    const size_t header = w->header = w->n;
    dw_put(w, version, 3);
    dw_put(w, 1296777956, 8);
    dw_put(w, 0, 2);
    dw_put(w, 0, 2);
    dw_put(w, 0, 4);
    dw_put(w, 0, 4);
    const size_t types = w->n;
    dw_put(w, 41, 4);
    for (int i = 0; i < 41; i++)
        dw_put(w, i == 40 ? 24 : 0, 4);
    dw_magic(w);
    dw_put(w, types, 8);
    dw_put(w, 0, 8);
    dw_put(w, 0, 8);
    dw_put(w, header, 8);
    dw_put(w, 8, 8);
    dw_put(w, header, 8);
    dw_put(w, 0, 8);
}

#endif
