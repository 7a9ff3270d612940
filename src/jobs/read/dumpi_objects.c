/* Handles of a rank, and what they stand for: types, communicators and groups; see dumpi.h. */
#include <string.h>

#include "base/memory.h"
#include "jobs/read/dumpi.h"

enum { COMM_WORLD = 2, COMM_SELF = 3, GROUP_EMPTY = 2, UNKNOWN = -1 };

static int64_t known(const dumpi_handles *h, uint32_t handle)
{
    return handle < h->room ? h->at[handle] - 1 : UNKNOWN;
}

void wi_dumpi_know(dumpi_reader *r, dumpi_handles *h, uint32_t handle, int64_t value)
{
    if (wi_reading_has(&r->d->reading, wi_grow_zeroed(&h->at, &h->room, (size_t)handle + 1, sizeof *h->at)))
        h->at[handle] = value + 1;
}

void wi_dumpi_push(wi_dumpi *d, uint32_t number)
{
    if (wi_reading_has(&d->reading,
                       wi_grow(&d->number, &d->number_room, d->n_numbers + 1, sizeof *d->number)))
        d->number[d->n_numbers++] = number;
}

/* ---- types ---- */

uint64_t wi_dumpi_bytes(dumpi_reader *r, int32_t count, uint32_t type)
{
    const int64_t each = count > 0 ? known(&r->type, type) : 0;
    const uint64_t bytes = (uint64_t)count * (uint64_t)each;
    if (count < 0)
        (void)DUMPI_WRONG(r, "%d elements", count);
    else if (each == UNKNOWN)
        (void)DUMPI_WRONG(r, "the trace does not say how many bytes datatype %u has", type);
    else if (bytes > UINT64_C(1) << 30)
        (void)DUMPI_WRONG(r, "a message of %llu bytes; want at most 1 GiB", (unsigned long long)bytes);
    return bytes;
}

weir_status wi_dumpi_take_type(dumpi_reader *r)
{
    const dumpi_call *const c = r->call;
    const dumpi_list *const lengths = DUMPI_LIST(c, 'A'), *const sizes = DUMPI_LIST(c, 'B'),
                            *const types = DUMPI_LIST(c, 'T');
    const bool some = strchr(c->fields, 'A'), of_each = strchr(c->fields, 'T');
    int64_t elements = some ? 0 : 1, bytes = 0;
    bool good = !of_each || types->n == lengths->n;
    if (strchr(c->fields, 'c'))
        elements *= DUMPI_VALUE(c, 'c');
    if (strchr(c->fields, 'e'))
        elements *= DUMPI_VALUE(c, 'e');
    for (uint32_t i = 0; i < sizes->n; i++)
        elements = elements >= 0 && elements < INT32_MAX ? elements * wi_dumpi_item(sizes, i, 4) : -1;
    for (uint32_t i = 0; i < lengths->n; i++) {
        const int32_t length = wi_dumpi_item(lengths, i, 4);
        const int64_t each = of_each && good ? known(&r->type, (uint16_t)wi_dumpi_item(types, i, 2)) : 0;
        good = good && length >= 0 && each >= 0 && bytes < INT64_C(1) << 40;
        elements += length;
        bytes += good ? length * each : 0;
    }
    if (!of_each) {
        const int64_t each = known(&r->type, (uint32_t)DUMPI_VALUE(c, 't'));
        good = elements >= 0 && elements < INT64_C(1) << 40 && each >= 0 && each < 1 << 20;
        bytes = good ? elements * each : 0;
    }
    wi_dumpi_know(r, &r->type, (uint32_t)DUMPI_VALUE(c, 'w'), good ? bytes : UNKNOWN);
    return r->d->reading.status;
}

/* ---- communicators and groups ---- */

uint32_t wi_dumpi_object(dumpi_reader *r, char letter)
{
    const uint32_t handle = (uint32_t)DUMPI_VALUE(r->call, letter);
    const int64_t object = known(letter == 'm' ? &r->comm : &r->group, handle);
    if (object == UNKNOWN)
        (void)DUMPI_WRONG(r, "%s %u is none that the trace has made",
                          letter == 'm' ? "communicator" : "group", handle);
    return (uint32_t)object;
}

static weir_status add_object(dumpi_reader *r, dumpi_object object)
{
    wi_dumpi *const d = r->d;
    object.call = r->call->number;
    WI_READING_PUT(&d->reading, d->object, d->n_objects, object);
    return d->reading.status;
}

void wi_dumpi_begin_objects(dumpi_reader *r)
{
    wi_dumpi_know(r, &r->comm, COMM_WORLD, DUMPI_WORLD);
    wi_dumpi_know(r, &r->comm, COMM_SELF, DUMPI_SELF);
    wi_dumpi_know(r, &r->group, GROUP_EMPTY, DUMPI_EMPTY);
    for (uint32_t i = 0; i < DUMPI_OBJECTS; i++)
        (void)add_object(r, (dumpi_object){.what = DUMPI_NEVER, .comm = i, .listed = i == DUMPI_EMPTY});
}

weir_status wi_dumpi_take_object(dumpi_reader *r)
{
    const dumpi_call *const c = r->call;
    const bool makes_comm = strchr(c->fields, 'n'), makes_group = strchr(c->fields, 'y');
    const uint32_t rows = strchr(c->fields, 'L') ? DUMPI_LIST(c, 'L')->n : 0,
                   made = (uint32_t)(r->d->n_objects - r->d->rank[r->rank].first_object);
    dumpi_object o = {.what = (uint8_t)c->what,
                      .none = makes_comm && DUMPI_VALUE(c, 'n') == DUMPI_NULL,
                      .x = DUMPI_VALUE(c, 'l'),
                      .y = DUMPI_VALUE(c, 'j'),
                      .number = r->d->n_numbers};
    if (strchr(c->fields, 'm'))
        o.a = wi_dumpi_object(r, 'm');
    if (strchr(c->fields, 'p'))
        *(makes_comm ? &o.b : &o.a) = wi_dumpi_object(r, 'p');
    if (strchr(c->fields, 'q'))
        o.b = wi_dumpi_object(r, 'q');
    for (uint32_t i = 0; i < DUMPI_LIST(c, 'A')->n; i++)
        wi_dumpi_push(r->d, (uint32_t)wi_dumpi_item(DUMPI_LIST(c, 'A'), i, 4));
    for (uint32_t i = 0; i < 4 * rows; i++) /* each behind its length */
        if (i % 4)
            wi_dumpi_push(r->d, (uint32_t)wi_dumpi_item(DUMPI_LIST(c, 'L'), i, 4));
    o.numbers = (uint32_t)(r->d->n_numbers - o.number);
    if (makes_comm && !o.none)
        wi_dumpi_know(r, &r->comm, (uint32_t)DUMPI_VALUE(c, 'n'), made);
    if (makes_group)
        wi_dumpi_know(r, &r->group, (uint32_t)DUMPI_VALUE(c, 'y'), made);
    if (!makes_comm && !makes_group && o.a == DUMPI_WORLD) { /* size and rank of all */
        const uint32_t is = c->what == DUMPI_COMM_SIZE ? r->d->reading.job->n_ranks : r->rank;
        return (uint32_t)o.x == is ? r->d->reading.status
                                   : DUMPI_WRONG(r, "it says %d, and by the trace it is %u", o.x, is);
    }
    return add_object(r, o);
}
