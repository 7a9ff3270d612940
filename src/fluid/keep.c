/* A solver's state in checkpoints; see keep.h. */
#include "fluid/keep.h"

#include "fluid/state/arrays.h"

bool wi_fluid_can_keep(const weir_fluid *f)
{
    return f->backend == weir_fluid_cpu();
}

void wi_fluid_keep(weir_fluid *f, wi_keeper *k)
{
    fluid_state *const s = &f->state;
    const fluid_tables *const t = &f->tables;
    const size_t real = f->double_precision ? sizeof(double) : sizeof(float);
    wi_keep_section(k, "fluid");
    wi_keep(k, &s->now, sizeof s->now);
    wi_keep(k, &f->next_change, sizeof f->next_change);
    uint32_t has_packets = f->has_packets;
    wi_keep(k, &has_packets, sizeof has_packets);
    f->has_packets = has_packets != 0;
#define X(field, size, n, part)                                            \
    if (wi_keep_size(k, (size_t)((size) * (uint64_t)(n))) > 0 && s->field) \
        wi_keep(k, s->field, (size_t)((size) * (uint64_t)(n)));
    FLUID_ARRAYS(X)
#undef X
}
