/* Keys of a class's adaptive video. */
#ifndef WI_KEYS_TRAFFIC_VIDEO_H
#define WI_KEYS_TRAFFIC_VIDEO_H

#include "keys/keys.h"

extern const wi_section wi_section_video; /* its struct is a weir_scenario_tcp */
extern const wi_words wi_connection_words;
/* What does not go together with video or a lasting connection in tcp, whose node it is; and the default of `connection`. */
void wi_connection_check(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp);

#endif
