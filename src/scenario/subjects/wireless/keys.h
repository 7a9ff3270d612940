/* What a scenario says of a wireless mesh. */
#ifndef WI_SCENARIO_SUBJECTS_WIRELESS_KEYS_H
#define WI_SCENARIO_SUBJECTS_WIRELESS_KEYS_H

#include "models/wireless/params.h"
#include "scenario/subject/subject.h"

typedef struct wireless_asked {
    wireless_params params;
    double delay_spread_ns, carrier_ghz;
    uint32_t channels;
    weir_place place;
} wireless_asked;

enum { WI_WIRELESS_N_KEYS = 25 };
extern const wi_key wi_wireless_keys[WI_WIRELESS_N_KEYS];

/* The model's parameters; they own nothing. */
wireless_params wi_wireless_params_of(const wireless_asked *asked);
/* What no single key can check: rates that 802.11a has. */
void wi_wireless_check_keys(wi_reader *reader, const wi_node *node, void *at);

#endif
