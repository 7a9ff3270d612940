/* Placement, links and rates: the world of the wireless model from its parameters. */
#ifndef WI_MODELS_WIRELESS_BUILD_H
#define WI_MODELS_WIRELESS_BUILD_H

#include "models/wireless/params.h"

/* The world, its lists behind it, in one piece of *bytes; the caller frees it. */
WEIR_NODISCARD weir_status wi_wireless_build(weir_diag *diag, const wireless_params *params,
                                             wireless_world **out, size_t *bytes);

#endif
