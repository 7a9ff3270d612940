/* Messages for handlers that broke the model contract, and what messages call an entity. */
#include "engine/core/engine.h"

#include <stdarg.h>
#include <stdio.h>

static const char *kind_name(const weir_sim *sim, uint32_t entity)
{
    const weir_model *m = sim->setup.model;
    uint32_t k = 0;
    while (k + 1 < m->n_kinds && entity >= sim->kind_first[k + 1])
        k++;
    return m->kinds[k].name;
}

void wi_entity_text(const weir_sim *sim, uint32_t entity, char text[WI_ENTITY_TEXT])
{
    char name[WI_ENTITY_TEXT / 2];
    if (!sim->setup.name || entity >= sim->n_entities) {
        snprintf(text, WI_ENTITY_TEXT, "entity %u", entity);
        return;
    }
    sim->setup.name(sim->setup.user, entity, name, sizeof name);
    snprintf(text, WI_ENTITY_TEXT, "entity %u (%.40s %s)", entity, kind_name(sim, entity), name);
}

static const char *type_name(const weir_sim *sim, uint32_t type)
{
    const weir_model *m = sim->setup.model;
    return type < m->n_types ? m->types[type].name : "?";
}

static const char *record_name(const weir_sim *sim, uint32_t type)
{
    const weir_model *m = sim->setup.model;
    return m->record_names && type < m->n_records ? m->record_names[type] : "?";
}

static weir_status fault(weir_diag *diag, const wi_part *part, const char *during, const char *fmt, ...)
    WEIR_PRINTF(4, 5);

static weir_status fault(weir_diag *diag, const wi_part *part, const char *during, const char *fmt, ...)
{
    char text[320], entity[WI_ENTITY_TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    wi_entity_text(part->sim, part->ctx.entity, entity);
    return weir_fail(diag, WEIR_E_MODEL, "model '%s', %s, in '%s' at %.12f s: %s",
                     part->sim->setup.model->name, entity, during, weir_seconds(part->ctx.now_ps), text);
}

static weir_status delay_fault(weir_diag *diag, const wi_part *part, const char *during)
{
    const weir_ctx *ctx = &part->ctx;
    const char *type = type_name(part->sim, ctx->fault_detail);
    const long long delay_ps = (long long)ctx->fault_value;
    return fault(diag, part, during,
                 "event '%s' has a delay of %lld ps; the least is 1 ps to itself and the entity's lookahead, "
                 "%lld ps, to others",
                 type, delay_ps, (long long)ctx->self->lookahead_ps);
}

static weir_status kind_fault(weir_diag *diag, const wi_part *part, const char *during)
{
    const weir_ctx *ctx = &part->ctx;
    const weir_model *m = part->sim->setup.model;
    if (ctx->fault_detail >= m->n_types)
        return fault(diag, part, during, "event type %u does not exist (the model has %u)", ctx->fault_detail,
                     m->n_types);
    const weir_event_type *type = &m->types[ctx->fault_detail];
    return fault(diag, part, during, "event '%s' is for entities of kind '%s', and entity %lld is of another",
                 type->name, m->kinds[type->kind].name, (long long)ctx->fault_value);
}

weir_status wi_fault_message(weir_diag *diag, const wi_part *part, const char *during)
{
    const weir_ctx *ctx = &part->ctx;
    const weir_model *m = part->sim->setup.model;
    const uint32_t detail = ctx->fault_detail;
    const long long value = (long long)ctx->fault_value;
    switch (ctx->fault) {
    case WEIR_FAULT_DELAY:
        return delay_fault(diag, part, during);
    case WEIR_FAULT_EVENTS:
        return fault(diag, part, during, "schedules more than the %u events that it states (next: '%s')",
                     ctx->out_capacity, type_name(part->sim, detail));
    case WEIR_FAULT_RECORDS:
        return fault(diag, part, during, "writes more records than the %u that it states (next: '%s')",
                     ctx->rec_capacity - part->rec_before, record_name(part->sim, detail));
    case WEIR_FAULT_SIZE:
        return fault(diag, part, during,
                     "record '%s' holds %lld bytes; want a multiple of 8, and at most the model's %u",
                     record_name(part->sim, detail), value, m->record_bytes);
    case WEIR_FAULT_TARGET:
        return fault(diag, part, during, "event '%s' is for entity %lld, which does not exist (there are %u)",
                     type_name(part->sim, detail), value, ctx->n_entities);
    case WEIR_FAULT_KIND:
        return kind_fault(diag, part, during);
    case WEIR_FAULT_COUNTER:
        return fault(diag, part, during, "adds to counter %lld, which does not exist (there are %llu)", value,
                     (unsigned long long)ctx->n_counters);
    case WEIR_FAULT_STUCK:
        return fault(
            diag, part, during,
            "makes no progress: at %u instants within %lld ps it schedules events a few picoseconds ahead, "
            "so that the run would not end; look for a pause, delay or gap of (next to) nothing",
            detail, value);
    case WEIR_FAULT_GRAPH:
        return fault(
            diag, part, during,
            "event '%s' is for entity %lld, whose group the model's graph does not name for this one",
            type_name(part->sim, detail), value);
    default:
        return fault(diag, part, during, "%s",
                     m->fault_names && detail >= 1 && detail <= m->n_faults ? m->fault_names[detail - 1]
                                                                            : "the model's own check failed");
    }
}
