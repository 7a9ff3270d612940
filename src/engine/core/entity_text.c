#include "engine/core/entity_text.h"

#include <stdio.h>

#include "engine/core/engine.h"

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
