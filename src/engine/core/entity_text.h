/* What messages call an entity: "entity 12", and where the set-up has names "entity 12 (port r3->r7)". */
#ifndef WI_ENGINE_CORE_ENTITY_TEXT_H
#define WI_ENGINE_CORE_ENTITY_TEXT_H

#include "weir/engine.h"

enum { WI_ENTITY_TEXT = 160 };
void wi_entity_text(const weir_sim *sim, uint32_t entity, char text[WI_ENTITY_TEXT]);

#endif
